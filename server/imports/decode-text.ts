import { invalid, type Problem } from '../kit/problem.ts'

const probe_bytes = 4096

/** Decodes UTF-8 and UTF-16, with or without a byte order mark. Throws when the file is not text. */
export async function* decodeText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decode: ReturnType<typeof openDecoder> | undefined
  let probe = Buffer.alloc(0)
  for await (const piece of bytes) {
    if (decode) {
      yield decode(piece)
      continue
    }
    probe = Buffer.concat([probe, piece])
    if (probe.length < probe_bytes) continue
    decode = openDecoder(probe)
    yield decode(probe)
  }
  if (!decode) {
    decode = openDecoder(probe)
    yield decode(probe)
  }
  yield decode()
}

/** Detects the encoding by the first bytes of the file. Call the decoder without a piece at the end. */
function openDecoder(probe: Buffer): (piece?: Buffer) => string {
  const file_type = file_types.find(({ first_bytes }) => probe.subarray(0, first_bytes.length).equals(first_bytes))
  if (file_type) throw unreadable(file_type.message)
  const decoder = new TextDecoder(detectEncoding(probe), { fatal: true })
  return (piece) => {
    const text = decodeWith(decoder, piece)
    // UTF-16 has zero bytes, but no text has the character NUL.
    if (text.includes('\0'))
      throw unreadable('The file is not text: it contains the character NUL. Save it as "CSV UTF-8".')
    return text
  }
}

function decodeWith(decoder: TextDecoder, piece: Buffer | undefined): string {
  try {
    return decoder.decode(piece, { stream: piece !== undefined })
  } catch {
    throw unreadable('The file is neither UTF-8 nor UTF-16. Save it as "CSV UTF-8".')
  }
}

/** Detects UTF-16 by the byte order mark, or by the position of zero bytes, which most letters have in it. */
function detectEncoding(probe: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (probe[0] === 0xff && probe[1] === 0xfe) return 'utf-16le'
  if (probe[0] === 0xfe && probe[1] === 0xff) return 'utf-16be'
  const countZeros = (parity: number) => probe.filter((byte, index) => byte === 0 && index % 2 === parity).length
  const [even, odd] = [countZeros(0), countZeros(1)]
  if (Math.max(even, odd) < probe.length / 8) return 'utf-8'
  return odd > even ? 'utf-16le' : 'utf-16be'
}

const looksLike = (name: string, advice = 'Save it as CSV first.') => `This looks like ${name}. ${advice}`

/** Types of files that people upload by mistake. */
const file_types = [
  { first_bytes: Buffer.from('504b0304', 'hex'), message: looksLike('an Excel file or a ZIP archive') },
  { first_bytes: Buffer.from('d0cf11e0a1b11ae1', 'hex'), message: looksLike('an Excel file') },
  { first_bytes: Buffer.from('%PDF-'), message: looksLike('a PDF file') },
  { first_bytes: Buffer.from('89504e470d0a1a0a', 'hex'), message: looksLike('a PNG image', 'Upload a CSV file.') },
  { first_bytes: Buffer.from('ffd8ff', 'hex'), message: looksLike('a JPEG image', 'Upload a CSV file.') },
]

export const unreadable = (message: string): Problem => invalid([{ path: 'file', code: 'format', message }])
