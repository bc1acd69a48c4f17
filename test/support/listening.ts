/** What a stream of server-sent events has said. */
export interface Heard {
  id: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: a test may look into any event
  event: any
}

export interface Listening {
  status: number
  /** So far. */
  heard: Heard[]
  /** All so far, as soon as there are so many; fails when the stream ends before. */
  hear: (count: number) => Promise<Heard[]>
  /** The stream has come to its end, or broke off. */
  ended: Promise<void>
  close: () => void
}

/** Resolves once the stream has begun: what happens from then on is heard. */
export async function listen(address: string, headers: Record<string, string>): Promise<Listening> {
  const controller = new AbortController()
  const response = await fetch(address, { headers, signal: controller.signal })
  const heard: Heard[] = []
  const waiting = new Set<() => void>()
  let is_over = false
  const tell = () => {
    for (const look of waiting) look()
  }
  const begun = Promise.withResolvers<void>()
  const read = async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      begun.resolve()
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      heard.push(...blocks.filter((block) => block.startsWith('id: ')).map(heardIn))
      tell()
    }
  }
  const ended = read()
    .catch(() => {})
    .then(() => {
      is_over = true
      begun.resolve()
      tell()
    })
  await begun.promise
  return {
    status: response.status,
    heard,
    ended,
    close: () => controller.abort(),
    hear: (count) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (heard.length < count && !is_over) return waiting.add(look)
          waiting.delete(look)
          if (heard.length >= count) resolve(heard)
          else reject(new Error(`the stream ended after ${heard.length} events, not ${count}`))
        }
        look()
      }),
  }
}

function heardIn(block: string): Heard {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  return { id: fields.get('id') ?? '', type: fields.get('event') ?? '', event: JSON.parse(fields.get('data') ?? '') }
}
