/** The keys of a telephone, in its order. */
export const telephone_keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'] as const

const names: Record<string, string> = { '*': 'Star', '#': 'Pound' }

/** Names the key in words for screen readers, which don't read all signs. */
export const nameOfKey = (key: string): string => names[key] ?? key

/** Only this many of the pressed keys, the last ones, are shown. */
const shown_max = 20

export const addKey = (pressed: string, key: string): string => (pressed + key).slice(-shown_max)

type TypedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>

/** The key of a telephone that someone types. Undefined for others, for shortcuts, and while a key is held down. */
export function typedKey({ key, ctrlKey, metaKey, altKey, repeat }: TypedKey): string | undefined {
  return ctrlKey || metaKey || altKey || repeat ? undefined : telephone_keys.find((one) => one === key)
}
