import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Consent } from '../../../server/consent/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'

/** What shows that it happened: a conversation, a note, or members that a client has given. */
export function ConsentEvidence({ evidence }: Pick<Consent, 'evidence'>) {
  const workspace = useWorkspaceId()
  const { conversation_id, seq: _turn, note, ...others } = evidence ?? {}
  const texts = [note, ...Object.entries(others).map(([name, value]) => `${name}: ${toText(value)}`)].filter(Boolean)
  return (
    <>
      {typeof conversation_id === 'string' && (
        <Anchor
          fz="inherit"
          renderRoot={(props) => (
            <Link to="/w/$workspace/conversations/$id" params={{ workspace, id: conversation_id }} {...props} />
          )}
        >
          Show conversation
        </Anchor>
      )}
      {typeof conversation_id === 'string' && texts.length > 0 && ' · '}
      {texts.map(toText).join(' · ')}
    </>
  )
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
