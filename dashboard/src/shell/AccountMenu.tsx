import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { CheckIcon, LeaveIcon, MoonIcon, MoreIcon, ScreenIcon, SettingsIcon, SunIcon } from '../kit/icons.tsx'
import { request } from '../kit/request.ts'
import { useEnter, useSession } from '../kit/session.ts'
import { tellProblem } from '../kit/toast.ts'
import styles from './shell.module.css'

const looks = [
  { value: 'light', name: 'Light', Icon: SunIcon },
  { value: 'dark', name: 'Dark', Icon: MoonIcon },
  { value: 'auto', name: 'System', Icon: ScreenIcon },
] as const

export function AccountMenu() {
  const { person } = useSession()
  const { workspace = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const enter = useEnter()
  // Without it, Mantine would write a style element to stop transitions.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const leaving = useMutation({
    mutationFn: () => request('/app/session', { method: 'DELETE' }),
    onError: tellProblem,
    onSuccess: () => enter(null),
  })
  return (
    <Menu position="top-start" width={232}>
      <Menu.Target>
        <UnstyledButton className={styles.account}>
          <span className={styles.face} aria-hidden="true">
            {Array.from(person.name || person.email)[0]?.toUpperCase()}
          </span>
          <span className={styles.unseen}>Account: {person.name || person.email}</span>
          <span className={styles.accountText} aria-hidden="true">
            <span className={styles.accountName}>{person.name || person.email}</span>
            <span className={styles.accountEmail}>{person.email}</span>
          </span>
          <span className={styles.accountMore}>
            <MoreIcon size={16} />
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        {looks.map(({ value, name, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            rightSection={colorScheme === value && <CheckIcon size={16} />}
            onClick={() => setColorScheme(value)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<SettingsIcon size={16} />}
          onClick={() => void navigate({ to: '/w/$workspace/settings/me', params: { workspace } })}
        >
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<LeaveIcon size={16} />} onClick={() => leaving.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
