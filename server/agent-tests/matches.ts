import { isObject } from '../kit/json.ts'

/** Whether a value has all that is wanted: objects may have more members, and `{"$any": true}` stands for any value. */
export function hasPart(value: unknown, wanted: unknown): boolean {
  if (isAny(wanted)) return value !== undefined
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) && value.length === wanted.length && wanted.every((one, index) => hasPart(value[index], one))
    )
  if (!isObject(wanted)) return value === wanted
  return (
    isObject(value) &&
    Object.entries(wanted).every(([name, one]) => Object.hasOwn(value, name) && hasPart(value[name], one))
  )
}

const isAny = (wanted: unknown): boolean => isObject(wanted) && wanted.$any === true && Object.keys(wanted).length === 1
