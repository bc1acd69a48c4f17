import { NewContact } from '../contacts/schema.ts'
import { memberFaults } from '../conversations/begin.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { hasControlCharactersExceptBreaks } from '../kit/http/validate-text.ts'
import { isObject } from '../kit/json.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { errorMessage, type Fault } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import { isPattern, openPattern } from './patterns.ts'
import {
  all_expectations_max,
  content_bytes_max,
  type Expectation,
  patterns_max,
  type TestContent,
  type ToolAnswer,
  tool_answers_bytes_max,
} from './schema.ts'

const path_length_max = 200
const levels_max = 20

/** Returns what is wrong with a test beyond its schema. */
export async function testFaults(test: TestContent): Promise<Fault[]> {
  const bytes = Buffer.byteLength(JSON.stringify(test))
  if (bytes > content_bytes_max)
    return [fault('steps', 'too_long', `A test can have at most ${content_bytes_max / 1024} kB as JSON.`)]
  return [
    ...kindFaults(test),
    ...(await expectationFaults(test)),
    ...toolAnswerFaults(test),
    ...memberFaults({ variables: test.variables }),
    ...contactFaults(test),
  ]
}

const fault = (path: string, code: string, message: string): Fault => ({ path, code, message })
const missing = (path: string, why: string): Fault => fault(path, 'required', `${path} is required ${why}.`)
const misplaced = (path: string, why: string): Fault => fault(path, 'not_allowed', `${path} is ${why}.`)

type Field = 'turns' | 'says' | 'steps' | 'person' | 'persona'

const fields_by_kind: Record<TestContent['kind'], Field[]> = {
  reply: ['turns', 'says'],
  conversation: ['steps'],
  simulation: ['person', 'persona'],
}

function kindFaults(test: TestContent): Fault[] {
  const { kind, turns, says, steps, person, persona, medium } = test
  const is_given: Record<Field, boolean> = {
    turns: turns.length > 0,
    says: says !== null,
    steps: steps.length > 0,
    person: person !== null,
    persona: persona !== null,
  }
  const faults = (Object.keys(is_given) as Field[]).flatMap((name) =>
    is_given[name] && !fields_by_kind[kind].includes(name)
      ? [misplaced(name, `no field of tests of kind ${kind}`)]
      : [],
  )
  const of_kind = `in tests of kind ${kind}`
  if (kind === 'reply' && !is_given.says) faults.push(missing('says', of_kind))
  if (kind === 'conversation' && !is_given.steps) faults.push(missing('steps', of_kind))
  if (kind === 'simulation' && is_given.person === is_given.persona)
    faults.push(fault('person', 'required', 'Send exactly one of person and persona in tests of kind simulation.'))
  if (medium === 'voice' && !is_given.person)
    faults.push(misplaced('medium', 'text unless a simulated person talks: send person'))
  return faults
}

/** The members that an expectation must have, and those that it may have. */
const members: Record<Expectation['type'], { needs: (keyof Expectation)[]; takes: (keyof Expectation)[] }> = {
  says: { needs: ['any_of'], takes: [] },
  never_says: { needs: ['any_of'], takes: [] },
  calls_tool: { needs: ['tool'], takes: ['arguments', 'times'] },
  never_calls_tool: { needs: ['tool'], takes: ['arguments'] },
  result: { needs: ['name', 'equals'], takes: [] },
  ends: { needs: [], takes: ['how', 'end_reason'] },
  at_most: { needs: [], takes: ['turns', 'tokens', 'cost_micros', 'latency_ms'] },
  cites: { needs: ['document_id'], takes: [] },
  judge: { needs: ['question'], takes: [] },
}
const in_voice = ['end_reason', 'latency_ms'] as const

/** Lists the expectations of a test, with the paths of their lists. */
const listsOf = ({ steps, expect }: Pick<TestContent, 'steps' | 'expect'>): [string, Expectation[]][] => [
  ...steps.map(({ expect = [] }, index): [string, Expectation[]] => [`steps.${index}.expect`, expect]),
  ['expect', expect],
]

async function expectationFaults(test: TestContent): Promise<Fault[]> {
  const all = listsOf(test).flatMap(([path, list]) =>
    list.map((one, index): [string, Expectation] => [`${path}.${index}`, one]),
  )
  if (all.length > all_expectations_max)
    return [fault('expect', 'too_many', `A test can have at most ${all_expectations_max} expectations.`)]
  const patterns = all.flatMap(([path, { any_of = [] }]) =>
    any_of.flatMap((phrase, index) => (isPattern(phrase) ? [{ path: `${path}.any_of.${index}`, phrase }] : [])),
  )
  if (patterns.length > patterns_max)
    return [fault('expect', 'too_many', `A test can have at most ${patterns_max} patterns.`)]
  const faults = all.flatMap(([path, one]) => memberFaultsOf(path, one, test))
  for (const one of patterns) {
    faults.push(...patternFaults(one))
    await letOthersRun({ is_urgent: true })
  }
  return faults
}

function memberFaultsOf(path: string, expectation: Expectation, { medium }: TestContent): Fault[] {
  const { type, ...given } = expectation
  const { needs, takes } = members[type]
  const names = Object.keys(given) as (keyof Expectation)[]
  const faults = [
    ...needs.filter((name) => !names.includes(name)).map((name) => missing(`${path}.${name}`, `for ${type}`)),
    ...names
      .filter((name) => !needs.includes(name) && !takes.includes(name))
      .map((name) => misplaced(`${path}.${name}`, `not used by ${type}`)),
  ]
  if (needs.length === 0 && !takes.some((name) => names.includes(name)))
    faults.push(fault(path, 'required', `${path} must have one of ${takes.join(', ')}.`))
  const spoken = medium === 'voice' ? undefined : in_voice.find((name) => names.includes(name))
  if (spoken) faults.push(misplaced(`${path}.${spoken}`, 'known in tests with the medium voice only'))
  if (given.any_of?.some((phrase) => !hasWords(phrase)))
    faults.push(fault(`${path}.any_of`, 'format', `${path}.any_of must have words in each phrase.`))
  if (given.arguments !== undefined) faults.push(...storableFaults(`${path}.arguments`, given.arguments))
  if (given.equals !== undefined) faults.push(...storableFaults(`${path}.equals`, given.equals))
  return faults
}

const hasWords = (phrase: string): boolean => isPattern(phrase) || /[\p{L}\p{N}]/u.test(phrase)

function patternFaults({ path, phrase }: { path: string; phrase: string }): Fault[] {
  try {
    openPattern(phrase)
    return []
  } catch (error) {
    return [fault(path, 'format', `${path} ${errorMessage(error)}`)]
  }
}

function toolAnswerFaults({ tool_answers }: TestContent): Fault[] {
  const bytes = Buffer.byteLength(JSON.stringify(tool_answers))
  if (bytes > tool_answers_bytes_max)
    return [
      fault('tool_answers', 'too_long', `tool_answers can have at most ${tool_answers_bytes_max / 1024} kB as JSON.`),
    ]
  return tool_answers.flatMap((answer, index) => toolAnswerFaultsOf(`tool_answers.${index}`, answer))
}

function toolAnswerFaultsOf(path: string, { result, error, arguments: values = {} }: ToolAnswer): Fault[] {
  const faults = [...storableFaults(`${path}.arguments`, values), ...storableFaults(`${path}.result`, result)]
  if ((result === undefined) === (error === undefined))
    faults.push(fault(path, 'required', `${path} must have either result or error.`))
  return faults
}

/** A test may have any of a contact's fields, and needs none. */
const contact_schema: RequestSchema = { ...(NewContact as RequestSchema), required: [] }

function contactFaults({ contact }: TestContent): Fault[] {
  if (contact === null) return []
  return validate(contact_schema, contact).faults.map(({ path, message, ...rest }) => ({
    ...rest,
    path: `contact.${path}`,
    message: `contact.${message}`,
  }))
}

/** Returns the fields as they were checked, with texts trimmed. */
export const contactFields = (contact: Record<string, unknown>): Record<string, unknown> =>
  validate(contact_schema, contact).value

function storableFaults(path: string, value: unknown): Fault[] {
  const shown = truncate(path, path_length_max)
  if (isTooDeep(value, levels_max))
    return [fault(shown, 'too_deep', `${shown} is nested too deeply: ${levels_max} levels are allowed.`)]
  return hasUnstorableText(value)
    ? [fault(shown, 'invalid_characters', `${shown} must not contain control characters or unpaired surrogates.`)]
    : []
}

const isTooDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1)))

function hasUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed() || hasControlCharactersExceptBreaks(value)
  if (Array.isArray(value)) return value.some(hasUnstorableText)
  return isObject(value) && Object.entries(value).some((entry) => entry.some(hasUnstorableText))
}
