import type { Visitor } from '../../calls/web.ts'
import { openOwnerLookup } from '../../channels/owners.ts'
import * as channels from '../../channels/store.ts'
import { atWall, type Service, system } from '../../kit/at.ts'
import { isSameOrigin } from '../../kit/http/browser.ts'
import type { Door } from '../../kit/http/door.ts'
import type { Caller, ValidRequest } from '../../kit/http/operation.ts'
import { openRateLimit } from '../../kit/limits/rate.ts'
import { clientNetwork } from '../../kit/network.ts'
import { Problem, tooManyAttempts } from '../../kit/problem.ts'

export const scope = 'anyone:voice'
/** Each network has this limit in each workspace. */
const calls_per_minute_max = 3

interface VoiceCaller extends Caller {
  visitor: Visitor & { agent_id: string; origin: string | null }
}

/** Identifies visitors who talk on a voice channel by their network. */
export function identifyVoiceVisitor(service: Service, public_url: string | undefined): Door['identify'] {
  const findOwner = openOwnerLookup(service.pool)
  const limit = openRateLimit(calls_per_minute_max, 60)
  return async ({ headers, params, ip }, now): Promise<VoiceCaller> => {
    if (headers.origin !== undefined && !isSameOrigin(headers, public_url))
      throw new Problem(
        'FORBIDDEN',
        "Requests must come from the channel's own page. The Origin header names another one.",
      )
    const { channel_id = '' } = params
    const owner = await findOwner(channel_id, now)
    const channel = owner && (await channels.find(atWall(service, owner.workspace_id, now), channel_id))
    const is_open = channel?.kind === 'voice' && channel.provider === 'web' && channel.status !== 'disabled'
    if (!owner || !is_open || channel.agent_id === null) throw new Problem('NOT_FOUND', 'Nobody can be called here.')
    const network = clientNetwork(ip)
    const id = `${owner.workspace_id} ${network}`
    const { is_exceeded, wait_seconds } = limit.count(id, now)
    if (is_exceeded) throw tooManyAttempts(wait_seconds)
    return {
      id,
      workspace: owner.workspace_id,
      is_test: owner.is_test,
      authenticated_by: 'token',
      actor: system,
      scopes: { has: () => true, is_open: false },
      visitor: { channel_id, agent_id: channel.agent_id, network, origin: headers.origin ?? null },
    }
  }
}

/** Only the door that `identifyVoiceVisitor` protects serves these operations. */
export const visitorOf = ({ caller }: Pick<ValidRequest, 'caller'>): VoiceCaller['visitor'] =>
  (caller as VoiceCaller).visitor
