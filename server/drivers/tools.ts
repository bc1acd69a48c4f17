import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { answerFrom } from '../documents/search.ts'
import type { At, AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { ToolCall } from '../talk/state.ts'
import { findOffered } from '../tools/mcp-tools.ts'
import { callTool } from '../tools/run.ts'
import * as workspaces from '../workspaces/store.ts'
import {
  type BuiltInResult,
  isBuiltIn,
  lookUp,
  offeredBuiltIns,
  runBuiltIn,
  type ToolContext,
  writesRows,
} from './built-in-tools.ts'
import type { FoundPassage } from './citations.ts'

export interface ToolOutcome extends BuiltInResult {
  duration_ms: number
}

/** The tools of one conversation. */
export interface Tools {
  offered: LanguageModelV4FunctionTool[]
  say_while: Record<string, string>
  /** Returns whether the tool reaches another server. Such a run has its row before. */
  isRemote: (name: string) => boolean
  /** Returns whether the tool writes to the database, or reaches another server. The conversation must have its row before. */
  hasEffects: (name: string) => boolean
  hasSideEffects: (name: string) => boolean
  run: (at: AtOutside, call: Omit<ToolCall, 'after'>, signal: AbortSignal) => Promise<ToolOutcome>
  /** Returns what the documents of the agent answer, word for word, and the passage that it is from. */
  answerFromKnowledge: (at: AtOutside, query: string) => KnowledgeAnswer
}

type KnowledgeAnswer = Promise<{ answer: string | null; passages: FoundPassage[] }>

export async function openTools(at: At, context: ToolContext): Promise<Tools> {
  const { conversation_id, agent_id, contact_id, configuration } = context
  const found = await findOffered(at, configuration.tools, configuration.mcp_tools)
  const by_name = new Map(found.map((tool) => [tool.name, tool]))

  async function run(at: AtOutside, { run, name, arguments: input }: Omit<ToolCall, 'after'>, signal: AbortSignal) {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return invalid('The arguments are no JSON object.')
    // The lines above have checked it.
    const values = input as Record<string, unknown>
    const tool = by_name.get(name)
    if (!tool)
      return (await runBuiltIn(at, context, { run, name, arguments: values })) ?? invalid('There is no such tool.')
    if (!(await workspaces.allowsNetwork(at)))
      return { status: 'failed' as const, result: 'A test workspace calls no tools until `allows_network` is set.' }
    const timeout_ms = Math.min(tool.timeout_ms, configuration.limits.tool_timeout_ms)
    const call = { run_id: run, arguments: values, conversation_id, contact_id, agent_id, signal }
    const { status, result } = await callTool(at, { ...tool, timeout_ms }, call)
    return { status, result }
  }

  return {
    offered: [
      // A tool of the workspace may have had the name before there was a built-in one.
      ...offeredBuiltIns(context).filter(({ name }) => !by_name.has(name)),
      ...found.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        ...(description !== null && { description }),
        inputSchema: parameters,
      })),
    ],
    say_while: Object.fromEntries(
      found.flatMap(({ name, say_while }) => (say_while === null ? [] : [[name, say_while]])),
    ),
    isRemote: (name) => by_name.has(name),
    hasEffects: (name) => by_name.has(name) || writesRows(name),
    // A tool that was deleted meanwhile may have had side effects. Built-in ones can be run again.
    hasSideEffects: (name) => by_name.get(name)?.has_side_effects ?? !isBuiltIn(name),
    run: async (at, call, signal) => {
      const began_ticks = clock.ticks()
      const outcome: BuiltInResult = await run(at, call, signal).catch(() => could_not_run)
      return { ...outcome, duration_ms: Math.round(clock.ticks() - began_ticks) }
    },
    answerFromKnowledge: (at, query) => answerFromKnowledge(at, context, query),
  }
}

export async function answerFromKnowledge(at: AtOutside, context: ToolContext, query: string): KnowledgeAnswer {
  const passages = await lookUp(at, context, query)
  const answer = await answerFrom(at, query, passages)
  return { answer, passages: answer === null ? [] : passages.slice(0, 1) }
}

/** The database failed, for example. */
export const could_not_run: BuiltInResult = { status: 'failed', result: 'The tool could not be run.' }

const invalid = (result: string): BuiltInResult => ({ status: 'invalid_arguments', result })
