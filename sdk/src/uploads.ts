/** A file: what `fs.openAsBlob(path)` and file inputs give, or a stream, which is read into memory first. */
export type UploadedFile = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

export interface Upload<Options> {
  file: UploadedFile
  options?: Options
}

/** Makes a form. A stream is read whole, so that the request can be repeated. */
export async function toForm(file: UploadedFile, options: object | undefined): Promise<FormData> {
  const form = new FormData()
  if (options) form.append('options', JSON.stringify(options))
  form.append('file', file instanceof Blob ? file : await toBlob(file))
  return form
}

async function toBlob(stream: Exclude<UploadedFile, Blob>): Promise<Blob> {
  if (stream instanceof ReadableStream) return new Response(stream).blob()
  const chunks = []
  for await (const chunk of stream) chunks.push(new Uint8Array(chunk))
  return new Blob(chunks)
}
