/** The unparsed request of a raw operation. */
export interface RawRequest {
  /** Names are in lower case. A header has one value for each time it was sent. */
  headers: NodeJS.Dict<string[]>
  bytes: Buffer
}

export interface RawAnswer {
  status: number
  /** JSON, or a text of another type. */
  body: object | { content_type: string; text: string }
  /** Delays the answer by this long, or until the client disconnects. */
  delay_ms?: number
}
