import { Skeleton } from '@mantine/core'
import type { Named } from './conversation.ts'
import styles from './conversations.module.css'
import { useContact, useContactName } from './useContactName.ts'

/** Names a contact, or nothing before it is read. */
export function ContactName({ of }: { of: Named }) {
  const { isLoading } = useContact(of.contact_id)
  const name = useContactName(of)
  return isLoading ? <Skeleton className={styles.loadingName} height={10} width={120} radius="sm" /> : name
}
