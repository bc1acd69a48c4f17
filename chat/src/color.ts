/** Whether the text is a color such as `#17745e`. */
export const isColor = (color: string): boolean => /^#[0-9a-f]{6}$/i.test(color)

/** Whether black is easier to read on the color than white. */
export function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179
}
