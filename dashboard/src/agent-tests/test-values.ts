import type { AgentTest, Expectation, TestContent } from '../../../server/agent-tests/schema.ts'
import {
  type CustomFieldValues,
  nameError,
  toCustomFields,
  toFormFields,
  type Kind as ValueKind,
} from '../contacts/custom-fields.ts'
import { jsonError, toJsonText } from '../kit/json.ts'
import { fromFieldTime, toFieldTime } from '../kit/time-field.ts'

/** The fields of an expectation as they were typed, whatever its type. */
export interface ExpectationValues {
  type: Expectation['type']
  any_of: string[]
  tool: string
  /** JSON text. */
  arguments: string
  times: number | string
  name: string
  /** The kind `none` stands for a value that is not collected. */
  equals: { kind: ValueKind | 'none'; value: string | number | boolean }
  how: string | null
  end_reason: string
  turns: number | string
  tokens: number | string
  /** The cost in the currency, not in its millionths. */
  cost: number | string
  latency_ms: number | string
  document_id: string | null
  question: string
}

export interface StepValues {
  says: string
  expect: ExpectationValues[]
}

export interface ToolAnswerValues {
  tool: string
  /** JSON text. An empty one allows any arguments. */
  arguments: string
  is_error: boolean
  /** JSON text. */
  result: string
  error: string
  once: boolean
}

export const contact_fields = ['first_name', 'last_name', 'phone_number', 'email', 'company', 'time_zone'] as const
type ContactField = (typeof contact_fields)[number]

/** A test as the editor holds it. What belongs to another kind of test stays until it is saved. */
export interface TestValues {
  name: string
  kind: AgentTest['kind']
  is_enabled: boolean
  begins: AgentTest['begins']
  turns: AgentTest['turns']
  says: string
  steps: StepValues[]
  played_by: 'person' | 'persona'
  person: string
  seed: number | string
  persona: { goal: string; facts: string; style: string }
  medium: AgentTest['medium']
  turns_max: number | string
  variables: CustomFieldValues[]
  contact: Record<ContactField, string>
  custom_fields: CustomFieldValues[]
  /** Fields of the contact that the editor doesn't show. */
  other_contact_fields: Record<string, unknown>
  now: { text: string; exact: string | null }
  uses_tools: boolean
  tool_answers: ToolAnswerValues[]
  expect: ExpectationValues[]
}

const micros = 1_000_000
const first_seed = 1
const turns_max_first = 20

export const newExpectation = (type: Expectation['type']): ExpectationValues => ({
  type,
  any_of: [],
  tool: '',
  arguments: '',
  times: '',
  name: '',
  equals: { kind: 'text', value: '' },
  how: type === 'ends' ? 'agent_ended' : null,
  end_reason: '',
  turns: '',
  tokens: '',
  cost: '',
  latency_ms: '',
  document_id: null,
  question: '',
})

export const newStep = (): StepValues => ({ says: '', expect: [] })

export const newToolAnswer = (): ToolAnswerValues => ({
  tool: '',
  arguments: '',
  is_error: false,
  result: '{}',
  error: '',
  once: false,
})

export const newTest = (): TestValues => ({
  ...toValues({
    name: '',
    kind: 'conversation',
    is_enabled: true,
    begins: 'agent',
    turns: [],
    says: null,
    steps: [{ says: '', expect: [] }],
    person: null,
    persona: null,
    medium: 'text',
    turns_max: turns_max_first,
    variables: {},
    contact: null,
    now: null,
    uses_tools: false,
    tool_answers: [],
    expect: [],
  }),
})

export function toValues(test: TestContent): TestValues {
  const { custom_fields, ...contact } = test.contact ?? {}
  const others = Object.entries(contact).filter(([name]) => !contact_fields.some((field) => field === name))
  return {
    name: test.name,
    kind: test.kind,
    is_enabled: test.is_enabled,
    begins: test.begins,
    turns: test.turns,
    says: test.says ?? '',
    steps: test.steps.map(({ says, expect = [] }) => ({ says, expect: expect.map(toExpectationValues) })),
    played_by: test.persona ? 'persona' : 'person',
    person: test.person?.number ?? '00',
    seed: test.person?.seed ?? first_seed,
    persona: {
      goal: test.persona?.goal ?? '',
      facts: test.persona?.facts ?? '',
      style: test.persona?.style ?? '',
    },
    medium: test.medium,
    turns_max: test.turns_max,
    variables: toFormFields(test.variables),
    // The server checks that these values are texts.
    contact: Object.fromEntries(contact_fields.map((name) => [name, contact[name] ?? ''])) as TestValues['contact'],
    custom_fields: toFormFields((custom_fields ?? {}) as Record<string, string>),
    other_contact_fields: Object.fromEntries(others),
    now: { text: test.now ? toFieldTime(test.now) : '', exact: test.now },
    uses_tools: test.uses_tools,
    tool_answers: test.tool_answers.map((answer) => ({
      tool: answer.tool,
      arguments: answer.arguments ? toJsonText(answer.arguments) : '',
      is_error: answer.error !== undefined,
      result: answer.result === undefined ? '{}' : toJsonText(answer.result),
      error: answer.error ?? '',
      once: answer.once ?? false,
    })),
    expect: test.expect.map(toExpectationValues),
  }
}

const toExpectationValues = (one: Expectation): ExpectationValues => ({
  type: one.type,
  any_of: one.any_of ?? [],
  tool: one.tool ?? '',
  arguments: one.arguments ? toJsonText(one.arguments) : '',
  times: one.times ?? '',
  name: one.name ?? '',
  equals:
    one.equals === null ? { kind: 'none', value: '' } : { kind: kindOf(one.equals ?? ''), value: one.equals ?? '' },
  how: one.how ?? null,
  end_reason: one.end_reason ?? '',
  turns: one.turns ?? '',
  tokens: one.tokens ?? '',
  cost: one.cost_micros === undefined ? '' : one.cost_micros / micros,
  latency_ms: one.latency_ms ?? '',
  document_id: one.document_id ?? null,
  question: one.question ?? '',
})

const kindOf = (value: string | number | boolean): ValueKind =>
  typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text'

/** Converts values to what the API takes, without what belongs to other kinds. Call `findErrors` before. */
export function toContent(values: TestValues): TestContent {
  const { kind, played_by } = values
  const is_simulation = kind === 'simulation'
  const is_persona = is_simulation && played_by === 'persona'
  return {
    name: values.name,
    kind,
    is_enabled: values.is_enabled,
    begins: values.begins,
    turns: kind === 'reply' ? values.turns : [],
    says: kind === 'reply' ? values.says : null,
    steps:
      kind === 'conversation'
        ? values.steps.map(({ says, expect }) => ({
            says,
            ...(expect.length > 0 && { expect: expect.map(toExpectation) }),
          }))
        : [],
    person:
      is_simulation && !is_persona
        ? { number: values.person, seed: values.seed === '' ? first_seed : Number(values.seed) }
        : null,
    persona: is_persona
      ? { goal: values.persona.goal, facts: values.persona.facts || null, style: values.persona.style || null }
      : null,
    medium: is_simulation && !is_persona ? values.medium : 'text',
    turns_max: values.turns_max === '' ? turns_max_first : Number(values.turns_max),
    variables: toCustomFields(values.variables),
    contact: toContact(values),
    now: toTime(values.now),
    uses_tools: values.uses_tools,
    tool_answers: values.tool_answers.map((answer) => ({
      tool: answer.tool,
      ...(answer.arguments.trim() && { arguments: JSON.parse(answer.arguments) }),
      ...(answer.is_error ? { error: answer.error } : { result: JSON.parse(answer.result) }),
      ...(answer.once && { once: true }),
    })),
    expect: values.expect.map(toExpectation),
  }
}

function toContact({ contact, custom_fields, other_contact_fields }: TestValues): Record<string, unknown> | null {
  const fields = {
    ...other_contact_fields,
    ...Object.fromEntries(Object.entries(contact).filter(([, value]) => value.trim() !== '')),
    ...(custom_fields.length > 0 && { custom_fields: toCustomFields(custom_fields) }),
  }
  return Object.keys(fields).length > 0 ? fields : null
}

/** Keeps the exact time unless the text was changed, because the field has no seconds. */
function toTime({ text, exact }: TestValues['now']): string | null {
  if (text === '') return null
  return exact && toFieldTime(exact) === text ? exact : fromFieldTime(text)
}

function toExpectation(one: ExpectationValues): Expectation {
  const { type } = one
  const number = <Name extends string>(name: Name, value: number | string) =>
    value === '' ? {} : ({ [name]: Number(value) } as Record<Name, number>)
  switch (type) {
    case 'says':
    case 'never_says':
      return { type, any_of: one.any_of }
    case 'calls_tool':
    case 'never_calls_tool':
      return {
        type,
        tool: one.tool,
        ...(one.arguments.trim() && { arguments: JSON.parse(one.arguments) }),
        ...(type === 'calls_tool' && number('times', one.times)),
      }
    case 'result':
      return { type, name: one.name, equals: toEquals(one.equals) }
    case 'ends':
      return {
        type,
        // The value is chosen from the names of the ways to end.
        ...(one.how !== null && { how: one.how as NonNullable<Expectation['how']> }),
        ...(one.end_reason && { end_reason: one.end_reason }),
      }
    case 'at_most':
      return {
        type,
        ...number('turns', one.turns),
        ...number('tokens', one.tokens),
        ...(one.cost !== '' && { cost_micros: Math.round(Number(one.cost) * micros) }),
        ...number('latency_ms', one.latency_ms),
      }
    case 'cites':
      return { type, ...(one.document_id !== null && { document_id: one.document_id }) }
    case 'judge':
      return { type, question: one.question }
  }
}

const toEquals = ({ kind, value }: ExpectationValues['equals']): string | number | boolean | null =>
  kind === 'none' ? null : kind === 'number' ? Number(value) : kind === 'boolean' ? value === true : String(value)

/** Error messages by the path of the field. */
export type Errors = Record<string, string>

/** Finds errors that only the editor can find: the server gets values, not texts. */
export function findErrors(values: TestValues): Errors {
  const errors: Errors = {}
  const check = (path: string, text: string, is_required = false) => {
    if (text.trim() === '' && !is_required) return
    const error = text.trim() === '' ? 'Enter JSON, such as {}' : jsonError(text)
    if (error) errors[path] = error
  }
  const checkAll = (path: string, list: ExpectationValues[]) => {
    for (const [index, one] of list.entries()) {
      if (one.type === 'calls_tool' || one.type === 'never_calls_tool')
        check(`${path}.${index}.arguments`, one.arguments)
      if (one.type === 'result' && one.equals.kind === 'number' && one.equals.value === '')
        errors[`${path}.${index}.equals`] = 'Enter a number.'
    }
  }
  checkAll('expect', values.expect)
  if (values.kind === 'conversation')
    for (const [index, { expect }] of values.steps.entries()) checkAll(`steps.${index}.expect`, expect)
  for (const [index, answer] of values.tool_answers.entries()) {
    check(`tool_answers.${index}.arguments`, answer.arguments)
    if (!answer.is_error) check(`tool_answers.${index}.result`, answer.result, true)
  }
  for (const list of ['variables', 'custom_fields'] as const)
    for (const [index, { name, kind, value }] of values[list].entries()) {
      const is_double = values[list].findIndex((one) => one.name === name) !== index
      const error = is_double ? 'Another one has this name.' : nameError(name)
      if (error) errors[`${list}.${index}.name`] = error
      if (kind === 'number' && value === '') errors[`${list}.${index}.value`] = 'Enter a number.'
    }
  return errors
}

export interface TestFormProps {
  values: TestValues
  errors: Errors
  is_read_only: boolean
  /** Passes on a change of the latest values. */
  onEdit: (change: (values: TestValues) => TestValues) => void
}

/** Returns the error at the field, or inside it. */
export const errorAt = (errors: Errors, path: string): string | undefined =>
  errors[path] ?? Object.entries(errors).find(([at]) => at.startsWith(`${path}.`))?.[1]

/** Returns the errors of a part, with paths that begin there. */
export const errorsIn = (errors: Errors, path: string): Errors =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([at, message]) =>
      at === path ? [['', message]] : at.startsWith(`${path}.`) ? [[at.slice(path.length + 1), message]] : [],
    ),
  )

export const hasErrors = (errors: Errors, path: string): boolean => Object.keys(errorsIn(errors, path)).length > 0
