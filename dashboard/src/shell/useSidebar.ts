import { useLocalStorage } from '@mantine/hooks'

/** Whether the sidebar shows icons only, in this browser. */
export function useIsCollapsed(): [boolean, (change: (is_collapsed: boolean) => boolean) => void] {
  const [is_collapsed, setCollapsed] = useLocalStorage({
    key: 'parley-sidebar-collapsed',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  return [is_collapsed, setCollapsed]
}
