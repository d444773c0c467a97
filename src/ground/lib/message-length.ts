/** The most characters of the text of a message. */
export const messageCharsMax = 200_000;
