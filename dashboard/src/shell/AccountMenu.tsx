import { Menu, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { CheckIcon, LeaveIcon, MoonIcon, ScreenIcon, SettingsIcon, SunIcon } from '../kit/icons.tsx'
import type { Target } from '../kit/lazy-menu.tsx'
import { createClient } from '../kit/request.ts'
import { useSession } from '../kit/session.ts'
import { useSignedOut } from '../kit/sign-out.ts'
import { showError } from '../kit/toast.ts'

const color_schemes = [
  { value: 'light', name: 'Light', Icon: SunIcon },
  { value: 'dark', name: 'Dark', Icon: MoonIcon },
  { value: 'auto', name: 'System', Icon: ScreenIcon },
] as const

export function AccountMenu({ target }: { target: Target }) {
  const { person } = useSession()
  const { workspace = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const signedOut = useSignedOut()
  // Without this option Mantine writes a style element, which the Content-Security-Policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const signingOut = useMutation({
    mutationFn: () => createClient().send('DELETE', '/app/session'),
    onError: showError,
    onSuccess: signedOut,
  })
  return (
    <Menu position="top-start" width={232}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{person.email}</Menu.Label>
        <Menu.Label>Appearance</Menu.Label>
        {color_schemes.map(({ value, name, Icon }) => (
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
          onClick={() => void navigate({ to: '/w/$workspace/profile', params: { workspace } })}
        >
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<LeaveIcon size={16} />} onClick={() => signingOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
