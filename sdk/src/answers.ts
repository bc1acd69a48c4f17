import { ParleyError } from './errors.ts'
import type { Pagination } from './types.ts'

export interface Envelope<Data> {
  success: true
  data: Data
}

export interface ListEnvelope<Item> extends Envelope<Item[]> {
  pagination: Pagination
}

export interface Page<Item> {
  data: Item[]
  pagination: Pagination
}

/** The envelope of an answer, and the response that it came with, whose body has been read. */
export type Answer<Whole> = Whole & { response: Response }

/** The page size while all pages are read. */
const iterated_limit = 100

/** A promise of `data`. `withResponse()` promises the whole envelope and the response with its headers. */
export class ApiPromise<Data, Whole = Envelope<Data>> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'ApiPromise'
  readonly #send: () => Promise<Answer<Whole>>
  readonly #data: () => Promise<Data>
  #sent: Promise<Answer<Whole>> | undefined

  constructor(send: () => Promise<Answer<Whole>>, pick: (envelope: Whole) => Data) {
    this.#send = send
    this.#data = () => this.withResponse().then(pick)
  }

  /** Sends the request, once. */
  withResponse(): Promise<Answer<Whole>> {
    this.#sent ??= this.#send()
    return this.#sent
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Ok = Data, Failed = never>(
    onOk?: ((data: Data) => Ok | PromiseLike<Ok>) | null,
    onFailed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Ok | Failed> {
    return this.#data().then(onOk, onFailed)
  }

  catch<Failed = never>(onFailed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null): Promise<Data | Failed> {
    return this.then(null, onFailed)
  }

  finally(onDone?: (() => void) | null): Promise<Data> {
    return this.then().finally(onDone)
  }
}

export type SendQuery<Item> = (query: Record<string, unknown>) => Promise<Answer<ListEnvelope<Item>>>

/** `await` gets a page, `for await` gets all items, page by page. No request is sent before. */
export class ApiList<Item> extends ApiPromise<Page<Item>, ListEnvelope<Item>> implements AsyncIterable<Item> {
  readonly #sendQuery: SendQuery<Item>
  readonly #query: Record<string, unknown>

  constructor(send: SendQuery<Item>, query: Record<string, unknown>) {
    super(
      () => send(query),
      ({ data, pagination }) => ({ data, pagination }),
    )
    this.#sendQuery = send
    this.#query = query
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let query: Record<string, unknown> | undefined = { limit: iterated_limit, ...this.#query }
    while (query) {
      const page: Page<Item> = await this.#sendQuery(query)
      yield* page.data
      const next: Record<string, unknown> | undefined = nextPage(query, page)
      if (next && next.cursor === query.cursor)
        throw new ParleyError({
          code: 'UNEXPECTED_ANSWER',
          message: 'The next page of the list is the same page again.',
        })
      query = next
    }
  }
}

/**
 * Asks for the page after a cursor. A cursor says where the list goes on, so the offset, a wait and the number of a
 * turn are left out. An `after` that is the id of an event stays, because it says in which order events are listed.
 */
function nextPage<Item>(
  { offset: _, wait_ms: __, after, ...query }: Record<string, unknown>,
  { pagination: { next_cursor: cursor } }: Page<Item>,
): Record<string, unknown> | undefined {
  if (cursor === null) return undefined
  return typeof after === 'string' ? { ...query, after, cursor } : { ...query, cursor }
}
