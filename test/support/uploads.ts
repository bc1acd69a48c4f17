import assert from 'node:assert/strict'
import type { Answer, Tenant } from './harness.ts'

/** A form like a browser sends it. */
export function formOf(file: string | Buffer, options?: object, name = 'people.csv'): FormData {
  const form = new FormData()
  if (options) form.append('options', JSON.stringify(options))
  form.append('file', new Blob([typeof file === 'string' ? file : new Uint8Array(file)]), name)
  return form
}

export const upload = (
  tenant: Tenant,
  file: string | Buffer,
  options?: object,
  headers?: Record<string, string>,
  name?: string,
) => tenant.call('POST', '/contacts/imports', formOf(file, options, name), headers)

/** Uploads the file, runs the import, and returns it with its rows. */
export async function importFile(tenant: Tenant, file: string | Buffer, options?: object) {
  const answer = await upload(tenant, file, options)
  assert.equal(answer.status, 201, answer.text)
  await tenant.work()
  return getImport(tenant, answer.body.data.id)
}

export async function getImport(tenant: Tenant, id: string) {
  const found = await tenant.call('GET', `/contacts/imports/${id}`)
  const rows = await tenant.call('GET', `/contacts/imports/${id}/rows?limit=100`)
  return { id, import: found.body.data, rows: rows.body.data }
}

export const contactsOf = async (tenant: Tenant) =>
  (await tenant.call('GET', '/contacts?sort=created_at&limit=100')).body.data

export const fieldsOf = ({ body }: Answer): { path: string; message: string }[] => body.error.details.fields

/** Sends the bytes of a form unchanged. The boundary is `xx`. */
export const postForm = (
  tenant: Tenant,
  bytes: string | Buffer,
  boundary = 'xx',
  headers: Record<string, string> = {},
) =>
  tenant.call('POST', '/contacts/imports', bytes, {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    ...headers,
  })

/** A part of the form with these header lines. */
export const partOf = (lines: string[], body: string): string => `--xx\r\n${[...lines, '', body].join('\r\n')}\r\n`
