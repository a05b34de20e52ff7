// A person whom Google vouches for.

/** A person as a verified token has it. */
export interface Person {
  /** The e-mail address, as the token spells it. */
  email: string;
  /** The domain that vouches for the person; undefined for an account of no organization. */
  domain: string | undefined;
}
