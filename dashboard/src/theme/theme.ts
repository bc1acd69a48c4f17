import { createTheme, Menu, Modal, PasswordInput, Popover, Select, TagsInput, Tooltip } from '@mantine/core'

/** Behavior only: colors, sizes and type are in tokens.css. */
export const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Locking the scroll writes a style element, which the Content-Security-Policy blocks.
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'lg',
        padding: 'lg',
        closeButtonProps: { 'aria-label': 'Close' },
        // Two dialogs would be two banners.
        attributes: { header: { role: 'presentation' } },
      },
    }),
    // The placeholder is a child of the menu that is not a menu item, which axe reports.
    Menu: Menu.extend({ defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false } }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show password' } },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', radius: 'md' } }),
    Select: Select.extend({ defaultProps: { comboboxProps: { shadow: 'md' } } }),
    TagsInput: TagsInput.extend({ defaultProps: { comboboxProps: { shadow: 'md' } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300 } }),
  },
})
