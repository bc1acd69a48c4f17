import { createTheme } from '@mantine/core'

/**
 * The theme sets behavior only: colors, sizes and type are in tokens.css. It doesn't use `Modal.extend`, which would
 * make each component part of the first page.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Locking the scroll writes a style element, which the Content-Security-Policy blocks.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'lg',
        padding: 'lg',
        closeButtonProps: { 'aria-label': 'Close' },
        // The role keeps two dialogs from being two banners.
        attributes: { header: { role: 'presentation' } },
      },
    },
    // The placeholder is a child of the menu that is not a menu item, which axe reports.
    Menu: { defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show password' } },
    },
    Popover: { defaultProps: { shadow: 'md', radius: 'md' } },
    Select: { defaultProps: { comboboxProps: { shadow: 'md' } } },
    TagsInput: { defaultProps: { comboboxProps: { shadow: 'md' } } },
    Tooltip: { defaultProps: { openDelay: 300 } },
  },
})
