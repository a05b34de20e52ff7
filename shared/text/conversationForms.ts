// The forms in which a conversation is exported.

/** The APIs whose form a conversation can have. */
export const CONVERSATION_FORMS = ['anthropic', 'openai', 'gemini'] as const;
/** The API whose form a conversation has. */
export type ConversationForm = (typeof CONVERSATION_FORMS)[number];
