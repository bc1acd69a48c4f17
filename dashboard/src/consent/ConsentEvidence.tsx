import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Consent } from '../../../server/consent/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'

/** Shows the evidence of a consent: words, a conversation, a note, or members that a client has given. */
export function ConsentEvidence({ evidence }: Pick<Consent, 'evidence'>) {
  const workspace = useWorkspaceId()
  const { conversation_id, seq: _turn, note, ...others } = evidence ?? {}
  const members = quote(others) ?? Object.entries(others).map(([name, value]) => `${name}: ${toText(value)}`)
  const texts = [note, ...members].filter(Boolean)
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

const language_names = new Intl.DisplayNames('en', { type: 'language' })

/**
 * Quotes the key that was pressed, or the words that the service has understood, and their language if it is not
 * English.
 */
function quote({ rule, language, words, ...others }: Record<string, unknown>): string[] | undefined {
  const is_heard = typeof rule === 'string' && typeof words === 'string' && Object.keys(others).length === 0
  if (!is_heard || typeof language !== 'string' || !/^[a-z]{2}\b/.test(language)) return undefined
  if (rule === 'key') return [`Key ${words}`]
  const [tag = 'en'] = language.split('-')
  if (rule === 'silence') return ['No answer for a day to the question whether they want no more calls and messages']
  return [tag === 'en' ? `“${words}”` : `“${words}” (${language_names.of(tag)})`]
}
