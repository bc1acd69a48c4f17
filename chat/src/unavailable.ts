import './style.css'

// In a frame, this page tells the widget, which then shows its own message instead.
if (window.parent !== window) window.parent.postMessage('chat:unavailable', '*')
