/** The colours that a tag may have. The web inbox draws each with enough contrast in both themes. */
export const tagColours = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const;
