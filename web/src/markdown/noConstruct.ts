// Constructs of markdown that the page disables: they match nothing.

const construct = { tokenize: (_effects: unknown, _ok: unknown, nok: unknown) => nok };

export { construct as htmlFlow, construct as htmlText };
