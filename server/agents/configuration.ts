import { type Static, Type } from 'typebox'
import {
  type CustomFieldPath,
  custom_field_path_pattern,
  type Field,
  fields,
  isCustomFieldPath,
} from '../contacts/schema.ts'
import { type Scope, tag } from '../documents/schema.ts'
import { allOptional, also_called, check, language_tag, multiline, oneOf, optionalText, text } from '../kit/field.ts'
import { fingerprintOf } from '../kit/http/idempotency.ts'
import { model_settings, no_model_settings } from '../models/model-settings.ts'
import { Script } from '../models/script-schema.ts'
import { isOfflineLanguage, offline_speech, Speech } from '../models/speech-schema.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { named_tool_pattern } from '../tools/schema.ts'
import { call_settings, recording } from './call-settings.ts'

const list_max = 32
/** An agent names at most this many documents. A tag is better for more. */
const documents_max = 100
const name_pattern = '^[a-z0-9_]{1,40}$'

/** The phone number identifies the contact, so an agent can't change it. */
const contact_fields = fields.filter((field): field is Exclude<Field, 'phone_number'> => field !== 'phone_number')
const ContactField = Type.Unsafe<(typeof contact_fields)[number] | CustomFieldPath>(
  text({
    pattern: `^(${contact_fields.join('|')}|${custom_field_path_pattern})$`,
    [check]: (value) =>
      contact_fields.some((field) => field === value) || isCustomFieldPath(value)
        ? undefined
        : { code: 'enum', message: `must be one of ${contact_fields.join(', ')}, or custom_fields.NAME.` },
  }),
)

export interface Model {
  provider: string
  name: string
  temperature: number | null
}

interface Result {
  name: string
  type: (typeof result_types)[number]
  description: string | null
}

const result_types = ['text', 'number', 'boolean', 'date'] as const

const model = (title: string, description: string) =>
  Type.Unsafe<Model | null>({
    title,
    type: ['object', 'null'],
    required: ['provider', 'name'],
    properties: {
      provider: text({ maxLength: 200, description: 'The name of a provider.', examples: ['openai'] }),
      name: text({
        maxLength: 200,
        description: "The provider's name for the model.",
        examples: ['gpt-5-mini'],
        [also_called]: ['model', 'id'],
      }),
      temperature: { type: ['number', 'null'], minimum: 0, maximum: 2, default: null },
    },
    additionalProperties: false,
    description,
    examples: [null],
  })

export const instructions = optionalText({
  maxLength: 32_000,
  ...multiline,
  description: 'The instructions that the agent follows.',
  [also_called]: ['prompt', 'system_prompt', 'system'],
  examples: ['Greet the caller and ask how you can help.'],
})

/** The settings that a PATCH replaces as a whole. */
const replaced = {
  instructions,
  greeting: optionalText({
    maxLength: 1_000,
    ...multiline,
    description: 'The first words of the agent.',
    examples: ['Hello, how can I help?'],
  }),
  language: text({
    ...language_tag,
    description: 'The language that the agent speaks, as a BCP 47 tag. `en` by default.',
    examples: ['en'],
  }),
  model: model(
    'AgentModel',
    "The model that the agent uses. `null`: the workspace's default provider. Can't be used together with `script`.",
  ),
  fallback_model: model(
    'AgentFallbackModel',
    "The model to ask when `model` fails. Can't be used together with `script`.",
  ),
  script: Type.Unsafe<Script | null>({
    ...Script,
    type: ['object', 'null'],
    description:
      'A script that the agent follows instead of asking a model: see "Scripts" in the guide. At most 256 kB.',
    examples: [null],
  }),
  tools: Type.Array(text({ pattern: named_tool_pattern }), {
    maxItems: list_max,
    description:
      "The names of the workspace's tools that the agent may use, with those that its script calls. A tool of kind `mcp` is a server: name " +
      'its tools, such as `crm__search`. Built-in tools need not be named.',
    examples: [[]],
  }),
  results: Type.Unsafe<Result[]>({
    type: 'array',
    maxItems: list_max,
    items: {
      title: 'AgentResult',
      type: 'object',
      required: ['name', 'type'],
      properties: {
        name: text({ pattern: name_pattern, examples: ['wants_callback'] }),
        type: oneOf(result_types),
        description: { ...optionalText({ maxLength: 500 }), default: null },
      },
      additionalProperties: false,
    },
    description: 'The facts that the agent collects in a conversation.',
    examples: [[{ name: 'wants_callback', type: 'boolean', description: 'Whether they want to be called back.' }]],
  }),
  contact_fields: Type.Array(ContactField, {
    maxItems: list_max,
    description: 'The contact fields that the agent may update. Name a custom field as `custom_fields.plan`.',
    examples: [['email']],
  }),
  knowledge: Type.Unsafe<Scope | null>({
    title: 'AgentKnowledge',
    type: ['object', 'null'],
    properties: {
      tags: Type.Array(tag, { minItems: 1, maxItems: list_max }),
      document_ids: Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: documents_max }),
    },
    additionalProperties: false,
    description:
      'The documents that the agent can look up: all with one of the `tags`, or those with these `document_ids`. `null`: none. See ' +
      '"Knowledge" in the guide.',
    examples: [null],
  }),
  ...call_settings,
  speech: Speech,
}

const model_settings_description =
  'How models are asked: `model`, `fallback_model` and the default provider. Members that are null are not sent. See "Models" in ' +
  "the guide. Can't be used together with `script`."

const hand_over = {
  is_allowed: Type.Boolean({ description: 'Whether the agent may hand over to a person.', examples: [true] }),
  on_failure: Type.Boolean({ description: 'Whether to hand over when no model answers.', examples: [false] }),
  message: optionalText({
    maxLength: 1_000,
    ...multiline,
    description: 'What the agent says when it hands over.',
    examples: [null],
  }),
}

const limit_defaults = {
  turns_max: 200,
  tokens_max: 60_000,
  reply_characters_max: 4_000,
  idle_seconds: 86_400,
  tool_timeout_ms: 20_000,
  call_seconds_max: 1_800,
}

const limits_max = { ...limit_defaults, call_seconds_max: 7_200 }

const limit = (name: keyof typeof limits_max, description: string) =>
  Type.Integer({ minimum: 1, maximum: limits_max[name], description, examples: [limit_defaults[name]] })

const limits = {
  turns_max: limit('turns_max', 'Turns of a text conversation.'),
  tokens_max: limit('tokens_max', 'Tokens of a conversation.'),
  reply_characters_max: limit('reply_characters_max', 'Characters of a reply.'),
  idle_seconds: limit('idle_seconds', 'A conversation without a message for this long is closed.'),
  tool_timeout_ms: limit(
    'tool_timeout_ms',
    "How long a tool may take. A tool's own `timeout_ms` applies if it is shorter.",
  ),
  call_seconds_max: limit(
    'call_seconds_max',
    'Seconds from the answer of a call to its end. Unlike the other limits it can be higher than its default: up to 7,200.',
  ),
}

const limits_description = 'Each but `call_seconds_max` is at most its default.'

/** The settings of which a version consists. */
export const Configuration = Type.Object(
  {
    ...replaced,
    model_settings: Type.Object(model_settings, { description: model_settings_description }),
    hand_over: Type.Object(hand_over),
    recording: Type.Object(recording),
    limits: Type.Object(limits, { description: limits_description }),
  },
  { title: 'AgentConfiguration' },
)
export interface Configuration extends Static<typeof Configuration> {
  /**
   * The tools of servers that the configuration names, as they were when it was published or used as a draft. They are
   * no setting.
   */
  mcp_tools?: KeptMcpTool[]
}

const partly = <Settings extends Parameters<typeof allOptional>[0]>(
  title: string,
  settings: Settings,
  description: string,
) => Type.Object(allOptional(settings), { title, additionalProperties: false, description })

const kept_description = 'Members that are left out keep their values.'

export const configuration_changes = allOptional({
  ...replaced,
  model_settings: partly(
    'AgentModelSettingsChange',
    model_settings,
    `${model_settings_description} ${kept_description}`,
  ),
  hand_over: partly('AgentHandOverChange', hand_over, kept_description),
  recording: partly('AgentRecordingChange', recording, kept_description),
  limits: partly('AgentLimitsChange', limits, `${limits_description} ${kept_description}`),
})
export type ConfigurationChange = Static<Type.TObject<typeof configuration_changes>>

const default_configuration: Configuration = {
  instructions: null,
  greeting: null,
  language: 'en',
  model: null,
  fallback_model: null,
  model_settings: no_model_settings,
  script: null,
  tools: [],
  results: [],
  contact_fields: [],
  knowledge: null,
  hand_over: { is_allowed: true, on_failure: false, message: null },
  voicemail_message: null,
  voice: null,
  speech: offline_speech,
  transfers: [],
  opt_out_key: '9',
  opt_out_notice: false,
  recording: { is_on: true, notice: null },
  limits: limit_defaults,
}

/**
 * Applies a change. Members of `model_settings`, `hand_over`, `recording` and `limits` that it leaves out keep their
 * values.
 */
export function applyChange(before: Configuration, change: ConfigurationChange): Configuration {
  const after = { ...before, ...change }
  return {
    ...after,
    tools: [...new Set(after.tools)],
    contact_fields: [...new Set(after.contact_fields)],
    model_settings: { ...before.model_settings, ...change.model_settings },
    hand_over: { ...before.hand_over, ...change.hand_over },
    recording: { ...before.recording, ...change.recording },
    limits: { ...before.limits, ...change.limits },
  }
}

/** Fills in what the release that stored it didn't know. */
export const complete = (stored: ConfigurationChange): Configuration => applyChange(default_configuration, stored)

/** Hashes a configuration. Values that are defaults are left out, so that new fields don't change the hash. */
export function contentHash(configuration: Configuration): string {
  const names = [...Object.keys(default_configuration), 'mcp_tools'] as (keyof Configuration)[]
  const isDefault = (name: keyof Configuration) =>
    fingerprintOf(configuration[name]) === fingerprintOf(default_configuration[name])
  return fingerprintOf(names.filter((name) => !isDefault(name)).map((name) => [name, configuration[name]]))
}

/** Removes the tools of servers, which a draft has only when it is published or used. */
export const withoutMcpTools = ({ mcp_tools: _, ...configuration }: Configuration): Configuration => configuration

/** Adds the tools of servers, for a draft that is published or used. */
export const withMcpTools = (configuration: Configuration, mcp_tools: KeptMcpTool[]): Configuration =>
  mcp_tools.length === 0 ? configuration : { ...configuration, mcp_tools }

/**
 * Whether the recognizer hears the agent's language. The languages of a provider's recognizer are not known, so it
 * counts as one that does.
 */
export const hearsLanguage = ({ speech, language }: Pick<Configuration, 'speech' | 'language'>): boolean =>
  speech.listen !== null || isOfflineLanguage(language)

/**
 * Whether an agent needs nothing but what is in memory: it has a script, and the script calls no tools and looks
 * nothing up.
 */
export const hasNoTools = ({ script, tools }: Configuration): boolean =>
  script !== null &&
  tools.length === 0 &&
  Object.values(script.nodes).every((node) => !('tool' in node) && !node.answer_from_knowledge)
