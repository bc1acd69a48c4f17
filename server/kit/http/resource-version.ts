import type { TSchema } from 'typebox'

/**
 * Returns the version of a resource for ETag and If-Match. It must change whenever a get would return something else. By
 * default it is `updated_at`; a resource without one is compared by its body.
 */
export type Version = (resource: never) => string

const by_updated_at: Version = (resource: object) => String(Object(resource).updated_at)

export const versionOf = (response: TSchema): Version | undefined =>
  'updated_at' in Object(Object(response).properties) ? by_updated_at : undefined

/** A deletion returns nothing of the resource, so its schema doesn't show the `updated_at`. */
export const writeVersionOf = ({ method, response }: { method: string; response: TSchema }): Version | undefined =>
  method === 'DELETE' ? by_updated_at : versionOf(response)
