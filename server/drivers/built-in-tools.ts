import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { Configuration } from '../agents/configuration.ts'
import * as consent from '../consent/store.ts'
import { ContactChange, type CustomFieldPath, customFieldName, isCustomFieldPath } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import type { Conversation } from '../conversations/schema.ts'
import { isRedacted, lock } from '../conversations/store.ts'
import { saveRuns } from '../conversations/tool-runs.ts'
import type { Passage } from '../documents/schema.ts'
import { isAnswered, search } from '../documents/search.ts'
import * as unanswered from '../documents/unanswered.ts'
import { agentActor } from '../events/actors.ts'
import { type At, type AtOutside, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { Problem } from '../kit/problem.ts'
import type { ToolStatus } from '../talk/state.ts'
import { argumentFault } from '../tools/arguments.ts'
import type { Schema } from '../tools/parameters.ts'
import { requestCallback } from './callbacks.ts'
import { search_tool } from './citations.ts'

/** The facts that tools may know and use. */
export interface ToolContext {
  conversation_id: string
  agent_id: string
  contact_id: string | null
  kind: Conversation['kind']
  configuration: Configuration
  /** Answers in place of a change, in tests of agents, which write nothing. */
  answer?: (call: BuiltInCall) => BuiltInResult
}

export interface BuiltInCall {
  run: string
  name: string
  arguments: Record<string, unknown>
}

export interface BuiltInResult {
  status: ToolStatus
  result: unknown
  /** Facts that are added to the results of the conversation. */
  facts?: Record<string, unknown>
}

interface BuiltInTool {
  description: string
  parameters: Schema
  isOffered: (context: ToolContext) => boolean
  run: (at: AtOutside, context: ToolContext, call: BuiltInCall) => Promise<BuiltInResult>
}

const done: BuiltInResult = { status: 'succeeded', result: 'Done.' }
const nothing: Schema = { type: 'object', properties: {} }

const tools: Record<string, BuiltInTool> = {
  end_conversation: {
    description: 'Ends the conversation. Say goodbye first.',
    parameters: nothing,
    isOffered: () => true,
    run: async () => done,
  },
  hand_over: {
    description: 'Hands the conversation over to a person.',
    parameters: { type: 'object', properties: { reason: { type: 'string', maxLength: 500 } } },
    isOffered: ({ configuration }) => configuration.hand_over.is_allowed,
    run: async () => done,
  },
  opt_out: {
    description: 'The contact wants no more messages or calls. Ends the conversation.',
    parameters: nothing,
    isOffered: ({ contact_id, kind }) => contact_id !== null || kind === 'voice',
    // A call records the opt-out itself, because it knows whether a simulated person has said it.
    run: async (at, context, call) =>
      context.kind === 'voice' ? done : writeOnce(at, { context, call, change: optOut }),
  },
  set_result: {
    description: 'Records a fact that was found out in the conversation.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string' }, value: { type: ['string', 'number', 'boolean'], maxLength: 1_000 } },
      required: ['name', 'value'],
      additionalProperties: false,
    },
    isOffered: ({ configuration }) => configuration.results.length > 0,
    run: async (_at, { configuration }, { arguments: values }) => setResult(configuration, values),
  },
  update_contact: {
    description: 'Changes what is stored about the contact.',
    parameters: { type: 'object', properties: {} },
    isOffered: ({ contact_id, configuration }) => contact_id !== null && configuration.contact_fields.length > 0,
    run: updateContact,
  },
  press_digits: {
    description: 'Presses digits (0 to 9, * and #) on the telephone, for example in a phone menu.',
    parameters: {
      type: 'object',
      properties: { digits: { type: 'string', minLength: 1, maxLength: 20 } },
      required: ['digits'],
      additionalProperties: false,
    },
    isOffered: ({ kind }) => kind === 'voice',
    run: async (_at, _context, { arguments: { digits } }) =>
      /^[0-9*#]+$/.test(String(digits)) ? done : refused('digits can have 0 to 9, * and #.'),
  },
  transfer: {
    description: 'Transfers the call to someone else. Tell the contact first.',
    parameters: { type: 'object', properties: {}, required: ['to'], additionalProperties: false },
    isOffered: ({ kind, configuration }) => kind === 'voice' && configuration.transfers.length > 0,
    run: async () => done,
  },
  schedule_callback: {
    description:
      "Calls the contact back at their own number, at a time within a year. Write it in the contact's time zone, such as " +
      '2026-11-17T09:00. At night it is moved to the morning: the answer has the time at which the contact is called.',
    parameters: {
      type: 'object',
      properties: {
        at: { type: 'string', maxLength: 40 },
        reason: { type: 'string', maxLength: 500 },
      },
      required: ['at'],
      additionalProperties: false,
    },
    isOffered: ({ kind, contact_id }) => kind === 'voice' && contact_id !== null,
    run: scheduleCallback,
  },
  [search_tool]: {
    description: 'Finds passages in the documents of the business that answer a question.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 500 },
      },
      required: ['query'],
      additionalProperties: false,
    },
    isOffered: ({ configuration }) => configuration.knowledge !== null,
    run: searchKnowledge,
  },
}

export function offeredBuiltIns(context: ToolContext): LanguageModelV4FunctionTool[] {
  return Object.entries(tools).flatMap(([name, { description, parameters, isOffered }]) =>
    isOffered(context)
      ? [
          {
            type: 'function',
            name,
            description,
            inputSchema: { ...(parametersOf(name, parameters, context) as object) },
          },
        ]
      : [],
  )
}

/** Lists the names that parameters may have, for those that depend on the agent. */
function parametersOf(name: string, parameters: Schema, { configuration }: ToolContext): Schema {
  if (name === 'set_result') {
    const names = configuration.results.map((result) => result.name)
    return { ...parameters, properties: { ...parameters.properties, name: { type: 'string', enum: names } } }
  }
  if (name === 'transfer') {
    const names = configuration.transfers.map((transfer) => transfer.name)
    return { ...parameters, properties: { to: { type: 'string', enum: names } } }
  }
  if (name !== 'update_contact') return parameters
  const own = configuration.contact_fields.filter((field) => !isCustomFieldPath(field))
  const properties = own.map((field): [string, Schema] => [
    field,
    field === 'tags' ? { type: 'array', items: { type: 'string' } } : { type: ['string', 'null'] },
  ])
  const custom = configuration.contact_fields.filter(isCustomFieldPath)
  if (custom.length > 0) properties.push(['custom_fields', customFieldsSchema(custom)])
  return { ...parameters, properties: Object.fromEntries(properties), additionalProperties: false }
}

const customFieldsSchema = (paths: CustomFieldPath[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    paths.map((path) => [customFieldName(path), { type: ['string', 'number', 'boolean', 'null'] }]),
  ),
  additionalProperties: false,
})

const writing_tools = ['update_contact', 'schedule_callback']

export const writesRows = (name: string): boolean => writing_tools.includes(name)

export const isBuiltIn = (name: string): boolean => Object.hasOwn(tools, name)

/** Runs a built-in tool. Returns undefined if it is none. */
export function runBuiltIn(at: AtOutside, context: ToolContext, call: BuiltInCall): Promise<BuiltInResult> | undefined {
  const tool = isBuiltIn(call.name) ? tools[call.name] : undefined
  if (!tool) return undefined
  if (!tool.isOffered(context)) return Promise.resolve(refused('This tool is not available here.'))
  const fault = argumentFault(parametersOf(call.name, tool.parameters, context), call.arguments)
  const by_agent = { ...at, actor: agentActor(context.agent_id) }
  return fault === undefined ? tool.run(by_agent, context, call) : Promise.resolve(refused(fault))
}

const refused = (fault: string): BuiltInResult => ({ status: 'invalid_arguments', result: fault })

function setResult({ results }: Configuration, { name, value }: Record<string, unknown>): BuiltInResult {
  const wanted = results.find((result) => result.name === name)
  if (!wanted || !isOfType(wanted.type, value)) return refused(`value must be of the type ${wanted?.type}.`)
  return { ...done, facts: { [wanted.name]: value } }
}

function isOfType(type: Configuration['results'][number]['type'], value: unknown): boolean {
  if (type === 'number' || type === 'boolean') return typeof value === type
  if (typeof value !== 'string') return false
  return type === 'text' || (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(clock.parse(value)))
}

async function updateContact(at: At, context: ToolContext, call: BuiltInCall): Promise<BuiltInResult> {
  const { value, faults } = validate(ContactChange as RequestSchema, call.arguments)
  if (faults.length > 0) return refused(faults.map(({ message }) => message).join(' '))
  const change = async (at: At, { contact_id }: Conversation): Promise<BuiltInResult> => {
    // `validate` has checked the values.
    const update = { id: contact_id ?? '', change: value as ContactChange, isCurrent: () => true }
    const [changed] = await contacts.update(at, [update])
    return changed instanceof Problem ? { status: 'failed', result: changed.message } : done
  }
  return writeOnce(at, { context, call, change })
}

async function scheduleCallback(at: At, context: ToolContext, call: BuiltInCall): Promise<BuiltInResult> {
  const change = (at: At, conversation: Conversation) => requestCallback(at, conversation, call.arguments)
  return writeOnce(at, { context, call, change }).catch((error: unknown) => {
    // The change may be refused, such as a number that must not be called.
    if (error instanceof Problem) return { status: 'failed', result: error.message }
    throw error
  })
}

const opt_out_sources = { api: 'api', web_chat: 'api', sms: 'sms_keyword', voice: 'voice_request' } as const

/** Records an opt-out. By SMS it is for the number that has written, which may no longer be that of the contact. */
async function optOut(at: At, { id, kind, contact_id, counterpart, turn_count }: Conversation): Promise<BuiltInResult> {
  const contact = (await contacts.lock(at, contact_id === null ? [] : [contact_id])).get(contact_id ?? '')
  const phone_number = (kind === 'sms' ? counterpart : null) ?? contact?.phone_number
  if (phone_number === undefined) return { status: 'failed', result: 'The contact was deleted.' }
  const said = { phone_number, contact_id: contact?.id ?? null, kind: 'all' as const, status: 'revoked' as const }
  await consent.record(at, [
    { ...said, source: opt_out_sources[kind], evidence: { conversation_id: id, seq: turn_count } },
  ])
  return done
}

const passages_found_max = 5

async function searchKnowledge(
  at: AtOutside,
  context: ToolContext,
  { arguments: { query } }: BuiltInCall,
): Promise<BuiltInResult> {
  const passages = await lookUp(at, context, String(query))
  const result = passages.map(({ score: _, ...passage }) => passage)
  return { ...done, result: { passages: result, ...(result.length === 0 && { note: 'Nothing was found.' }) } }
}

/** Finds passages in the documents that the agent may look up. Notes the question if they don't answer it, but not in a test. */
export async function lookUp(at: AtOutside, context: ToolContext, query: string): Promise<Passage[]> {
  const { configuration, agent_id, conversation_id } = context
  const scope = configuration.knowledge ?? { document_ids: [] }
  const passages = await search(at, { query, scope, limit: passages_found_max })
  if (!context.answer && !isAnswered(passages))
    await inTransaction(at, async (at) => {
      if (await isRedacted(at, conversation_id)) return
      await unanswered.note(at, { question: query, agent_id, conversation_id })
    })
  return passages
}

interface WriteOnce {
  context: ToolContext
  call: BuiltInCall
  change: (at: At, conversation: Conversation) => Promise<BuiltInResult>
}

/** Writes the run and the change together, so that the change happens once. */
async function writeOnce(at: At, { context, call, change }: WriteOnce): Promise<BuiltInResult> {
  const { conversation_id, answer } = context
  if (answer) return answer(call)
  return inTransaction(at, async (at) => {
    const conversation = await lock(at, conversation_id)
    // Nothing is written about a conversation that was redacted meanwhile.
    if (conversation.redacted_at !== null) return refused('The conversation was redacted.')
    const outcome = await change(at, conversation)
    if (outcome.status !== 'succeeded') return outcome
    const { run: id, name, arguments: values } = call
    const { status, result } = outcome
    await saveRuns(at, [{ conversation_id, id, name, arguments: values, result, status, duration_ms: null }])
    return outcome
  })
}
