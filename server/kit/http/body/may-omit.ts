import { bodyOf, type Operation, uploadOf } from '../operation.ts'
import type { RequestSchema } from '../validate.ts'

/** A POST whose fields are all optional may have no body. */
export function mayOmitBody(operation: Operation): boolean {
  const body = bodyOf(operation)
  if (operation.method !== 'POST' || !body || uploadOf(operation)) return false
  const { required = [], properties = {} }: RequestSchema = body
  return required.every((name) => properties[name] !== undefined && 'default' in properties[name])
}
