import { Button, Skeleton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { agentsQuery, channelsQuery } from '../channels/channel.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { CheckIcon } from '../kit/icons.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { useIsOwner } from '../kit/session.ts'
import { isSpeechOnly, providersQuery } from '../settings/providers-query.ts'
import styles from './home.module.css'
import type { OpenedKind } from './OpenedStep.tsx'
import { homeKey } from './queries.ts'

/** The code of what opens over the page is loaded when it is asked for. */
const OpenedStep = lazyPart(async () => (await import('./OpenedStep.tsx')).OpenedStep)

/** Only this many test chats, the newest, are read, to tell whether somebody has said something. */
const chats_max = 20
/** A chat has at least this many turns if somebody has said something: the greeting is one. */
const turns_min = 2

/**
 * Shows what is left to set up, until all is done. A compact one has its steps beside each other, to leave room for
 * what follows.
 */
export function Checklist({ is_compact }: { is_compact: boolean }) {
  const api = useApi()
  const client = useQueryClient()
  const is_owner = useIsOwner()
  const done = useDone()
  const { data: agents } = useQuery(agentsQuery(api))
  const [opened, setOpened] = useState<OpenedKind>()
  const [was_done, setWasDone] = useWasDone()
  const agent = agents?.find(({ name }) => name === 'Receptionist') ?? agents?.[0]
  const params = { workspace: api.workspace }
  const opener = (kind: OpenedKind, label: string) => (
    <Button variant="default" size="xs" onClick={() => setOpened(kind)}>
      {label}
    </Button>
  )
  const linkTo = (to: '/w/$workspace/agents' | '/w/$workspace/imports/new', label: string) => (
    <Button variant="default" size="xs" renderRoot={(props) => <Link to={to} params={params} {...props} />}>
      {label}
    </Button>
  )
  const steps: Step[] | undefined = done &&
    agents && [
      agent
        ? { name: `Talk to ${agent.name}`, is_done: done.talked, action: opener('chat', 'Start chat') }
        : { name: 'Create an agent', is_done: false, action: linkTo('/w/$workspace/agents', 'Open agents') },
      ...(agent ? [{ name: 'Place a test call', is_done: done.called, action: opener('call', 'Call') }] : []),
      {
        name: 'Add contacts',
        is_done: done.has_contacts,
        action: linkTo('/w/$workspace/imports/new', 'Import'),
      },
      ...(is_owner
        ? [
            { name: 'Connect a channel', is_done: done.connected, action: opener('channel', 'Connect') },
            { name: 'Add a model', is_done: done.has_model, action: opener('model', 'Add model') },
          ]
        : []),
    ]
  const count = steps?.filter(({ is_done }) => is_done).length
  const is_all_done = steps && count === steps.length
  useEffect(() => {
    if (is_all_done !== undefined) setWasDone(is_all_done)
  }, [is_all_done, setWasDone])
  // A step that is open stays open when it was the last one to do.
  if ((is_all_done ?? was_done) && !opened) return null
  return (
    <section
      className={styles.checklist}
      data-compact={is_compact || undefined}
      aria-label="Get started"
      aria-busy={!steps}
    >
      <div className={styles.headingLine}>
        <h2 className={styles.heading}>Get started</h2>
        {steps && (
          <span className={styles.quiet}>
            {count} of {steps.length} done
          </span>
        )}
      </div>
      <ol className={styles.list}>
        {!steps &&
          (is_owner ? all_steps : steps_of_members).map((step) => (
            <li key={step} className={styles.step}>
              <Skeleton height={20} circle />
              <Skeleton height={14} width="60%" />
            </li>
          ))}
        {steps?.map(({ name, is_done, action }) => (
          <li key={name} className={styles.step} data-done={is_done || undefined}>
            <span className={styles.tick} role="img" aria-label={is_done ? 'Done' : 'Not done yet'}>
              {is_done && <CheckIcon size={14} />}
            </span>
            <span>{name}</span>
            {action}
          </li>
        ))}
      </ol>
      {opened && (
        <OpenedStep
          kind={opened}
          agent={agent}
          onClose={() => {
            setOpened(undefined)
            void client.invalidateQueries({ queryKey: homeKey(api) })
          }}
        />
      )}
    </section>
  )
}

/** These steps keep the place until it is known what is done. */
const steps_of_members = ['talk', 'call', 'contacts']
const all_steps = [...steps_of_members, 'channel', 'model']

/** Remembers in this browser whether all was done, so that nothing moves when the page is opened. */
const useWasDone = () =>
  useLocalStorage({
    key: `parley-started-${useWorkspaceId()}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })

interface Step {
  name: string
  is_done: boolean
  action: ReactNode
}

/** Tells which steps are done. Undefined until it is read. */
function useDone() {
  const api = useApi()
  const is_owner = useIsOwner()
  const talked = useHasTalked()
  const called = useHasAny('/calls', { direction: 'outbound' })
  const has_contacts = useHasAny('/contacts', {})
  const { data: channels } = useQuery({ ...channelsQuery(api), enabled: is_owner })
  const { data: providers } = useQuery({ ...providersQuery(api), enabled: is_owner })
  if (talked === undefined || called === undefined || has_contacts === undefined) return undefined
  if (is_owner && (!channels || !providers)) return undefined
  return {
    talked,
    called,
    has_contacts,
    connected: channels?.data.some(({ provider }) => provider !== 'simulator') ?? false,
    has_model: providers?.data.some(({ kind }) => !isSpeechOnly(kind)) ?? false,
  }
}

function useHasTalked(): boolean | undefined {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [...homeKey(api), 'chats'],
    queryFn: ({ signal }) => api.list<Conversation>('/conversations', { is_test: true, limit: chats_max }, signal),
  })
  return data?.data.some(({ turn_count }) => turn_count >= turns_min)
}

function useHasAny(path: string, query: Record<string, string | boolean>): boolean | undefined {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [...homeKey(api), 'any', path],
    queryFn: ({ signal }) => api.list(path, { ...query, limit: 1 }, signal),
  })
  return data && data.pagination.total > 0
}
