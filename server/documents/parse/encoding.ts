/** Makes a decoder. Returns undefined for a label that is not known. */
export function decoderNamed(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label)
  } catch {
    return undefined
  }
}
