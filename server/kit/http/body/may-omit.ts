import { bodyOf, type Operation, uploadOf } from '../operation.ts'

/** A POST whose fields are all optional may have no body. */
export function mayOmitBody(operation: Operation): boolean {
  const body = bodyOf(operation)
  if (operation.method !== 'POST' || !body || uploadOf(operation)) return false
  const { required = [], properties = {} }: { required?: string[]; properties?: object } = Object(body)
  return required.every((name) => 'default' in Object(Object(properties)[name]))
}
