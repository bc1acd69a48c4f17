import type { Contact } from '../../contacts/schema.ts'
import {
  type BuiltInCall,
  type BuiltInResult,
  isBuiltIn,
  offeredBuiltIns,
  runBuiltIn,
  type ToolContext,
} from '../../drivers/built-in-tools.ts'
import { answerCallback } from '../../drivers/callbacks.ts'
import { answerFromKnowledge, could_not_run, openTools, type Tools, toOffered, waysToUse } from '../../drivers/tools.ts'
import type { AtOutside } from '../../kit/at.ts'
import { isObject } from '../../kit/json.ts'
import { truncate } from '../../kit/text.ts'
import type { ToolCall } from '../../talk/state.ts'
import { argumentFault } from '../../tools/arguments.ts'
import { checkedSchema } from '../../tools/mcp-tools.ts'
import { hasPart } from '../matches.ts'
import type { ToolAnswer } from '../schema.ts'
import type { Part, Scene } from './scene.ts'

const shown_arguments_max = 300

export interface TestTools extends Tools {
  /** The calls for which the test has no answer. */
  unanswered: { run: string; sentence: string }[]
  /** Whether something outside of the test was really asked: a tool, or a model that ranks documents. */
  has_called: boolean
}

interface Parts {
  part: Part
  conversation_id: string
  kind: ToolContext['kind']
  contact: Contact | undefined
}

const done: BuiltInResult = { status: 'succeeded', result: 'Done.' }

/** Opens tools that are answered by the test. Built-in ones do what they always do, but write nothing. */
export async function openTestTools(scene: Scene, { part, conversation_id, kind, contact }: Parts): Promise<TestTools> {
  const { agent, configuration, settings, tools: stored } = scene
  const { tool_answers, uses_tools } = part
  const used = new Set<ToolAnswer>()
  let callbacks = 0
  const answer = ({ name, arguments: values }: BuiltInCall): BuiltInResult => {
    if (name !== 'schedule_callback' || !contact) return done
    const answered = answerCallback({ contact, settings, count: callbacks, now: at_now }, values)
    if (answered.time !== undefined) callbacks += 1
    return answered.answer
  }
  let at_now = 0
  const context: ToolContext = {
    conversation_id,
    agent_id: agent.id,
    contact_id: contact?.id ?? null,
    kind,
    configuration,
    answer,
  }
  const by_name = new Map(stored.map((tool) => [tool.name, tool]))
  const really = uses_tools ? await openTools(scene.at, { ...context, contact_id: null }) : undefined

  function answerFor(name: string, values: Record<string, unknown>): ToolAnswer | undefined {
    const found = tool_answers.find(
      (one) => one.tool === name && !used.has(one) && hasPart(values, one.arguments ?? {}),
    )
    if (found?.once) used.add(found)
    return found
  }

  async function runOne(at: AtOutside, call: Omit<ToolCall, 'after'>, signal: AbortSignal): Promise<BuiltInResult> {
    const { run, name, arguments: values } = call
    if (!isObject(values)) return invalid('The arguments are no JSON object.')
    at_now = at.now
    if (isBuiltIn(name) && !by_name.has(name)) {
      const given = answerFor(name, values)
      if (given?.error !== undefined) return { status: 'failed', result: given.error }
      const built_in = await runBuiltIn(at, context, { run, name, arguments: values })
      return { ...(built_in ?? done), ...(given && built_in?.status === 'succeeded' && { result: given.result }) }
    }
    const tool = by_name.get(name)
    if (!tool) return invalid('There is no such tool.')
    const fault = argumentFault(checkedSchema(tool), values)
    if (fault !== undefined) return invalid(fault)
    const given = answerFor(name, values)
    if (given?.error !== undefined) return { status: 'failed', result: given.error }
    if (given) return { status: 'succeeded', result: given.result }
    if (really) {
      result.has_called = true
      if (scene.calls_nothing) return could_not_run
      return really.run(scene.at, call, signal)
    }
    const shown = truncate(JSON.stringify(values), shown_arguments_max)
    result.unanswered.push({ run, sentence: `The agent called ${name} with ${shown}, and no tool answer fits.` })
    return could_not_run
  }

  const result: TestTools = {
    unanswered: [],
    has_called: false,
    offered: [...offeredBuiltIns(context).filter(({ name }) => !by_name.has(name)), ...stored.map(toOffered)],
    ...waysToUse(stored),
    // Nothing is written before a tool runs.
    isRemote: () => false,
    hasEffects: () => false,
    hasSideEffects: () => false,
    run: async (at, call, signal) => ({ ...(await runOne(at, call, signal)), duration_ms: 0 }),
    // Documents are really looked up, because this writes nothing.
    answerFromKnowledge: async (at, query) => {
      result.has_called ||= scene.has_embedder
      const is_failing = scene.has_embedder && scene.calls_nothing
      return is_failing ? { answer: null, passages: [] } : answerFromKnowledge(at, context, query)
    },
  }
  return result
}

const invalid = (result: string): BuiltInResult => ({ status: 'invalid_arguments', result })
