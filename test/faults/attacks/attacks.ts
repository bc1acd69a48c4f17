import { attack as agent_tests } from './agent-tests.ts'
import type { Attack } from './attack.ts'
import { attack as campaign_windows } from './campaign-windows.ts'
import { attacks as documents } from './documents.ts'
import { attack as embeddings } from './embeddings.ts'
import { attack as forecasts } from './forecasts.ts'
import { attack as large_bodies } from './large-bodies.ts'
import { attack as largest_contacts } from './largest-contacts.ts'
import { attack as live_calls } from './live-calls.ts'
import { attack as long_calls } from './long-calls.ts'
import { attack as mcp_servers } from './mcp-servers.ts'
import { attacks as model_servers } from './model-server.ts'
import { attack as patterns } from './patterns.ts'
import { attack as ranges } from './ranges.ts'
import { attack as searches } from './searches.ts'
import { attack as silent_sockets } from './silent-sockets.ts'
import { attacks as small_chunks } from './small-chunks.ts'
import { attack as sms_forms } from './sms-forms.ts'
import { attacks as speech_floods } from './speech-floods.ts'
import { attack as tool_arguments } from './tool-arguments.ts'
import { attack as transcripts } from './transcripts.ts'

export const attacks: Attack[] = [
  silent_sockets,
  live_calls,
  long_calls,
  ...model_servers,
  ...small_chunks,
  ...speech_floods,
  campaign_windows,
  ranges,
  sms_forms,
  large_bodies,
  largest_contacts,
  transcripts,
  forecasts,
  agent_tests,
  patterns,
  ...documents,
  embeddings,
  searches,
  mcp_servers,
  tool_arguments,
]
