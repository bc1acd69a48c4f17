import { queryOptions } from '@tanstack/react-query'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import type { Api } from '../kit/api.ts'
import { toJsonText } from '../kit/json.ts'
import { inOrder } from './script/script.ts'

/** The values that the agent's page edits. An empty text stands for none. */
export interface DraftValues {
  name: string
  description: string
  greeting: string
  language: string
  instructions: string
  /** JSON text as it was typed. With null the agent follows its instructions. */
  script: string | null
  model: AgentWithDraft['draft']['model']
  model_settings: AgentWithDraft['draft']['model_settings']
  tools: string[]
  knowledge: AgentWithDraft['draft']['knowledge']
  hand_over: AgentWithDraft['draft']['hand_over']
  voicemail_message: string
  recording: AgentWithDraft['draft']['recording']
  voice: AgentWithDraft['draft']['voice']
  speech: AgentWithDraft['draft']['speech']
  transfers: AgentWithDraft['draft']['transfers']
  opt_out_key: AgentWithDraft['draft']['opt_out_key']
  opt_out_notice: AgentWithDraft['draft']['opt_out_notice']
  limits: AgentWithDraft['draft']['limits']
  deploy_requires: AgentWithDraft['deploy_requires']
}

export const draft_labels: Record<keyof DraftValues, string> = {
  name: 'Name',
  description: 'Description',
  greeting: 'Greeting',
  language: 'Language',
  instructions: 'Instructions',
  script: 'Script',
  model: 'Model',
  model_settings: 'Model settings',
  tools: 'Tools',
  knowledge: 'Knowledge',
  hand_over: 'Hand-over',
  voicemail_message: 'Voicemail message',
  recording: 'Recording',
  voice: 'Voice',
  speech: 'Speech',
  transfers: 'Transfers',
  opt_out_key: 'Key to get no more calls',
  opt_out_notice: 'Name the key in every call',
  limits: 'Longest call',
  deploy_requires: 'Required before a deployment',
}
export const draft_fields = Object.keys(draft_labels) as (keyof DraftValues)[]

export const no_model_settings: DraftValues['model_settings'] = {
  temperature: null,
  max_tokens: null,
  top_p: null,
  reasoning_effort: null,
  stop: null,
}

export interface LoadedAgent {
  data: AgentWithDraft
  etag: string
}

export const agentQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', id],
    queryFn: () => api.sendWithEtag<AgentWithDraft>('GET', `/agents/${id}`),
  })

export const toValues = ({ name, description, deploy_requires, draft }: AgentWithDraft): DraftValues => ({
  name,
  description,
  greeting: draft.greeting ?? '',
  language: draft.language,
  instructions: draft.instructions ?? '',
  script: draft.script && toJsonText(inOrder(draft.script)),
  model: draft.model,
  model_settings: draft.model_settings,
  tools: draft.tools,
  knowledge: draft.knowledge,
  hand_over: draft.hand_over,
  voicemail_message: draft.voicemail_message ?? '',
  recording: draft.recording,
  voice: draft.voice,
  speech: draft.speech,
  transfers: draft.transfers,
  opt_out_key: draft.opt_out_key,
  opt_out_notice: draft.opt_out_notice,
  limits: draft.limits,
  deploy_requires,
})

/** Throws a SyntaxError if the script is not JSON. */
export const toChange = (changed: Partial<DraftValues>): object => ({
  ...changed,
  ...(typeof changed.script === 'string' && { script: JSON.parse(changed.script) }),
})
