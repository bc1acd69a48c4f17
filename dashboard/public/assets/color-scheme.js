// Before the first paint, so that a dark screen doesn't flash white. The key is the one that Mantine keeps it under.
;(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  const is_dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', is_dark ? 'dark' : 'light')
})()
