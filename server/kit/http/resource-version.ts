import type { TSchema } from 'typebox'
import { isObject } from '../json.ts'

/**
 * Returns the version of a resource for ETag and If-Match. It must change whenever a get would return something else. By
 * default it is `updated_at`; a resource without one is compared by its body.
 */
export type Version = (resource: never) => string

const by_updated_at: Version = ({ updated_at }: { updated_at: string }) => updated_at

export const hasProperty = (schema: TSchema, name: string): boolean =>
  'properties' in schema && isObject(schema.properties) && name in schema.properties

export const versionOf = (response: TSchema): Version | undefined =>
  hasProperty(response, 'updated_at') ? by_updated_at : undefined

/** A deletion returns nothing of the resource, so its schema doesn't show the `updated_at`. */
export const writeVersionOf = ({ method, response }: { method: string; response: TSchema }): Version | undefined =>
  method === 'DELETE' ? by_updated_at : versionOf(response)
