import { createTheme, Menu, Modal, Popover, Select, TagsInput, Tooltip } from '@mantine/core'

/** Colours stand in tokens.css: here only how components behave. */
export const theme = createTheme({
  primaryColor: 'teal',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Locking the scroll would write a style element into the page.
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, centered: true, radius: 'lg', padding: 'lg' },
      styles: { title: { fontSize: 18, fontWeight: 650 } },
    }),
    // The placeholder would be a child of the menu that is no item.
    Menu: Menu.extend({ defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false } }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', radius: 'md' } }),
    Select: Select.extend({ defaultProps: { comboboxProps: { shadow: 'md' } } }),
    TagsInput: TagsInput.extend({ defaultProps: { comboboxProps: { shadow: 'md' } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300 } }),
  },
})
