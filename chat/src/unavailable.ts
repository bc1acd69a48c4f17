import './style.css'

// The widget then shows its own message instead of this page.
if (window.parent !== window) window.parent.postMessage('chat:unavailable', '*')
