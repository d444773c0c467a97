declare module 'virtual:emoji-*' {
  export const emoji: readonly (readonly [emoji: string, name: string, words: string])[];
}
