import { Modal, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type LinkProps, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import type { Agent } from '../../../server/agents/schema.ts'
import type { Call } from '../../../server/calls/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import { describeStatus } from '../calls/call.ts'
import { contactTitle } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'
import { AgentIcon, PeopleIcon, PhoneIcon, PlusIcon, SearchIcon, SettingsIcon } from '../kit/icons.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { useCanEdit, useIsOwner } from '../kit/session.ts'
import styles from './palette.module.css'
import { groupsFor } from './places.ts'

interface Item {
  id: string
  group: 'Go to' | 'Create' | 'Contacts' | 'Calls' | 'Agents'
  name: string
  more?: string | undefined
  icon: ReactNode
  to: LinkProps['to']
  params?: Record<string, string>
  /** Whether the item opens the form of the page that creates something. */
  is_form?: boolean
}

const typing_ms = 150
const found_max = 5
const icon_size = 16
const form_within_ms = 10_000

/** Finds pages, contacts, calls and agents, and creates something. */
export function Palette({ is_open, onClose }: { is_open: boolean; onClose: () => void }) {
  return (
    <Modal.Root opened={is_open} onClose={onClose} padding={0} size={560} lockScroll={false} yOffset="12dvh">
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content aria-label="Search">
        <Modal.Body>
          <Search onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function Search({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [current, setCurrent] = useState(0)
  const id = useId()
  const items = useItems(text.trim())
  const open = ({ to, params, name, is_form }: Item) => {
    onClose()
    void navigate({ to: to as '/', params: { workspace: api.workspace, ...params } } as never)
    if (is_form) openForm(name)
  }
  const choose = (index: number) => {
    setCurrent(index)
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      choose((current + step + items.length) % Math.max(1, items.length))
    }
    const chosen = items[current]
    if (event.key === 'Enter' && chosen) open(chosen)
  }
  return (
    <>
      <div className={styles.field}>
        <SearchIcon size={icon_size} />
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog is this field
          autoFocus
          data-autofocus
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={items[current] && `${id}-${current}`}
          placeholder="Search or jump to…"
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            choose(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={styles.items} id={id} role="listbox" aria-label="Results">
        {items.map((item, index) => (
          <div key={item.id}>
            {item.group !== items[index - 1]?.group && (
              <div className={styles.group} aria-hidden="true">
                {item.group}
              </div>
            )}
            <UnstyledButton
              className={styles.item}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              tabIndex={-1}
              onMouseMove={() => setCurrent(index)}
              onClick={() => open(item)}
            >
              {item.icon}
              <span className={styles.name}>{item.name}</span>
              {item.more && <span className={styles.more}>{item.more}</span>}
            </UnstyledButton>
          </div>
        ))}
        {items.length === 0 && <p className={styles.nothing}>No results</p>}
      </div>
    </>
  )
}

/**
 * Clicks the button of this name as soon as the page shows it. Gives up after a while, because the page may have
 * failed.
 */
function openForm(name: string): void {
  const until = performance.now() + form_within_ms
  const look = () => {
    const button = document.querySelector<HTMLElement>('main [data-shortcut="c"]')
    if (button?.textContent === name) return button.click()
    if (performance.now() < until) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

function useItems(text: string): Item[] {
  const api = useApi()
  const [words] = useDebouncedValue(text, typing_ms)
  const common = { enabled: words !== '', placeholderData: keepPreviousData }
  const contacts = useQuery({
    ...common,
    queryKey: [api.workspace, 'contacts', 'palette', words],
    queryFn: ({ signal }) => api.list<Contact>('/contacts', { search: words, limit: found_max }, signal),
  })
  const calls = useQuery({
    ...common,
    queryKey: [api.workspace, 'calls', 'palette', words],
    queryFn: ({ signal }) => api.list<Call>('/calls', { search: words, limit: found_max }, signal),
  })
  const agents = useQuery({
    queryKey: [api.workspace, 'agents', 'palette'],
    queryFn: ({ signal }) => api.list<Agent>('/agents', { limit: 100 }, signal),
  })
  const pages = usePages()
  const matches = ({ name }: { name: string }) => name.toLowerCase().includes(text.toLowerCase())
  const known = text === '' ? pages : pages.filter(matches)
  if (text === '') return known
  const found_contacts = (contacts.data?.data ?? []).map(
    (contact): Item => ({
      id: contact.id,
      group: 'Contacts',
      name: contactTitle(contact),
      more: formatPhoneNumber(contact.phone_number),
      icon: <PeopleIcon size={icon_size} />,
      to: '/w/$workspace/contacts/$id',
      params: { id: contact.id },
    }),
  )
  const found_calls = (calls.data?.data ?? []).map(
    (call): Item => ({
      id: call.id,
      group: 'Calls',
      name: formatPhoneNumber((call.direction === 'inbound' ? call.from : call.to) ?? 'Call'),
      more: describeStatus(call),
      icon: <PhoneIcon size={icon_size} />,
      to: '/w/$workspace/calls/$call_id',
      params: { call_id: call.id },
    }),
  )
  const found_agents = (agents.data?.data ?? [])
    .filter(matches)
    .slice(0, found_max)
    .map(
      ({ id, name }): Item => ({
        id,
        group: 'Agents',
        name,
        icon: <AgentIcon size={icon_size} />,
        to: '/w/$workspace/agents/$id',
        params: { id },
      }),
    )
  return [...known, ...found_contacts, ...found_agents, ...found_calls]
}

/** Lists the pages of the sidebar and of the settings, and what can be created. */
function usePages(): Item[] {
  const is_owner = useIsOwner()
  const can_edit = useCanEdit()
  const places = groupsFor(is_owner)
    .flatMap(({ places }) => places)
    .map(({ to, name, Icon }): Item => ({ id: to, group: 'Go to', name, icon: <Icon size={icon_size} />, to }))
  const settings = [
    { name: 'Workspace settings', to: '/w/$workspace/settings/workspace' },
    ...(is_owner ? [{ name: 'Members', to: '/w/$workspace/settings/members' }] : []),
    { name: 'Model providers', to: '/w/$workspace/settings/providers' },
    { name: 'Speech', to: '/w/$workspace/settings/speech' },
    ...(is_owner ? [{ name: 'Audit log', to: '/w/$workspace/settings/audit-log' }] : []),
    { name: 'Profile', to: '/w/$workspace/profile' },
    { name: 'Imports', to: '/w/$workspace/imports' },
    ...(can_edit ? [{ name: 'Do not contact', to: '/w/$workspace/suppressions' }] : []),
  ].map(
    ({ name, to }): Item => ({
      id: to,
      group: 'Go to',
      name,
      icon: <SettingsIcon size={icon_size} />,
      to: to as Item['to'],
    }),
  )
  const create = [
    { name: 'New contact', to: '/w/$workspace/contacts', is_form: true },
    { name: 'Import contacts', to: '/w/$workspace/imports/new' },
    { name: 'New campaign', to: '/w/$workspace/campaigns/new' },
    { name: 'New agent', to: '/w/$workspace/agents', is_form: true },
    { name: 'New tool', to: '/w/$workspace/tools', is_form: true, is_for_owners: true },
    { name: 'New channel', to: '/w/$workspace/channels', is_form: true, is_for_owners: true },
    { name: 'New integration', to: '/w/$workspace/integrations', is_form: true, is_for_owners: true },
    { name: 'New webhook', to: '/w/$workspace/webhooks', is_form: true, is_for_owners: true },
    { name: 'New API key', to: '/w/$workspace/api-keys', is_form: true, is_for_owners: true },
  ]
    .filter(({ is_for_owners }) => is_owner || !is_for_owners)
    .map(
      ({ name, to, is_form = false }): Item => ({
        id: name,
        group: 'Create',
        name,
        icon: <PlusIcon size={icon_size} />,
        to: to as Item['to'],
        is_form,
      }),
    )
  return [...places, ...settings, ...(can_edit ? create : [])]
}
