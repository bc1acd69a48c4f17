import type { Components, Json } from './schema.ts'

export interface OperationJson extends Json {
  operationId: string
  parameters: Json[]
  responses: Record<string, Json>
}

type Methods = Record<string, OperationJson>

/** Makes components of the parameters and responses that several operations have. */
export function shareRepeated(paths: Record<string, Methods>, components: Components): Record<string, Methods> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const shareParameter = sharer(
    components.parameters,
    'parameters',
    operations.flatMap(({ parameters }) => parameters),
  )
  const shareResponse = sharer(
    components.responses,
    'responses',
    operations.flatMap(({ responses }) => Object.values(responses)),
  )
  const share = ({ parameters, responses, ...operation }: OperationJson): OperationJson => {
    const { operationId: id } = operation
    return {
      ...operation,
      parameters: parameters.map((one) => shareParameter(one, [`${one.name}`, `${id}_${one.name}`])),
      responses: mapValues(responses, (one, status) => shareResponse(one, [`${id}_${status}`])),
    }
  }
  return mapValues(paths, (methods) => mapValues(methods, share))
}

/** Returns a function that replaces what is there more than once with a reference to a component, under the first free name. */
function sharer(components: Json, kind: string, all: Json[]) {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(textOf(one), (counts.get(textOf(one)) ?? 0) + 1)
  const names = new Map<string, string>()
  return (one: Json, possible_names: string[]): Json => {
    const text = textOf(one)
    if ('$ref' in one || (counts.get(text) ?? 0) < 2) return one
    const name = names.get(text) ?? possible_names.find((name) => !(name in components)) ?? text
    names.set(text, name)
    components[name] = one
    return { $ref: `#/components/${kind}/${name}` }
  }
}

const textOf = (one: Json): string => JSON.stringify(one)

const mapValues = <From, To>(
  object: Record<string, From>,
  map: (value: From, name: string) => To,
): Record<string, To> => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
