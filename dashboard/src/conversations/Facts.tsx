import { Anchor, Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { contactQuery, contactTitle } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'
import { Fact, FactList } from '../kit/FactList.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './conversations.module.css'

export function ContactFacts({ id }: { id: string }) {
  const api = useApi()
  const { data: contact, error, refetch } = useQuery(contactQuery(api, id))
  const params = { workspace: api.workspace }
  if (!contact) {
    return (
      <FactsState title="Contact">
        {error ? <LoadError error={error} retry={refetch} noun="Contact" /> : <LoadingSkeleton lines={3} />}
      </FactsState>
    )
  }
  return (
    <Facts title="Contact">
      <Fact name="Name">
        <Anchor
          fz="inherit"
          renderRoot={(props) => <Link to="/w/$workspace/contacts/$id" params={{ ...params, id }} {...props} />}
        >
          {contactTitle(contact)}
        </Anchor>
      </Fact>
      <Fact name="Phone">{formatPhoneNumber(contact.phone_number)}</Fact>
      <Fact name="Email">{contact.email}</Fact>
      <Fact name="Company">{contact.company}</Fact>
      <Fact name="Tags">
        {contact.tags.length > 0 &&
          contact.tags.map((tag) => (
            <Badge key={tag} variant="default" tt="none" fw={500} mr={4}>
              {tag}
            </Badge>
          ))}
      </Fact>
      <Fact name="Notes">{contact.notes}</Fact>
      <Fact name="History">
        <Anchor
          fz="inherit"
          renderRoot={(props) => (
            <Link to="/w/$workspace/conversations" params={params} search={{ contact_id: id }} {...props} />
          )}
        >
          All conversations
        </Anchor>
      </Fact>
    </Facts>
  )
}

export function Members({ title, members }: { title: string; members: Record<string, unknown> }) {
  const entries = Object.entries(members)
  if (entries.length === 0) return null
  return (
    <Facts title={title}>
      {entries.map(([name, value]) => (
        <Fact key={name} name={name}>
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </Fact>
      ))}
    </Facts>
  )
}

export const Facts = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.facts} aria-label={title}>
    <h2>{title}</h2>
    <FactList>{children}</FactList>
  </section>
)

/** Stands in for facts that are not loaded. */
export const FactsState = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.facts} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)
