import { UnstyledButton } from '@mantine/core'
import { lazyMenu } from '../kit/lazy-menu.tsx'
import { useSession } from '../kit/session.ts'
import styles from './shell.module.css'

const AccountMenu = lazyMenu(async () => (await import('./AccountMenu.tsx')).AccountMenu)

export function AccountButton() {
  const { person } = useSession()
  const name = person.name || person.email
  return (
    <AccountMenu
      target={
        <UnstyledButton className={styles.account}>
          <span className={styles.face} aria-hidden="true">
            {Array.from(name)[0]?.toUpperCase()}
          </span>
          <span className={styles.visuallyHidden}>Account: {name}</span>
          <span className={styles.accountName} aria-hidden="true">
            {name}
          </span>
        </UnstyledButton>
      }
    />
  )
}
