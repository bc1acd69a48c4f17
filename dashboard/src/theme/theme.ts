import { createTheme, Drawer, Menu, Modal, Popover, Select, TagsInput, Tooltip } from '@mantine/core'

/** Colours stand in tokens.css: here only how components behave. */
export const theme = createTheme({
  primaryColor: 'teal',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Locking the scroll would write a style element into the page.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, radius: 'lg', padding: 'lg' } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, position: 'right', padding: 'lg' } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', radius: 'md' } }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', radius: 'md' } }),
    Select: Select.extend({ defaultProps: { comboboxProps: { shadow: 'md' } } }),
    TagsInput: TagsInput.extend({ defaultProps: { comboboxProps: { shadow: 'md' } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300 } }),
  },
})
