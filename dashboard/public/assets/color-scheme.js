// Runs before the first paint, so that dark mode doesn't flash white. The key is Mantine's.
;(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  const is_dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', is_dark ? 'dark' : 'light')
})()
