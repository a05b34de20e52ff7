import { describeMigration } from './migration.ts';

describeMigration();
