// Ink imports react-devtools-core only while debugging; the bundle never does.
export default { initialize() {}, connectToDevTools() {} };
