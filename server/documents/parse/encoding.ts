/** Returns undefined for a label that nobody knows. */
export function decoderNamed(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label)
  } catch {
    return undefined
  }
}
