/** The unparsed request of a raw operation. */
export interface RawRequest {
  /** By lower-case name, with one value for each time the header was sent. */
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
