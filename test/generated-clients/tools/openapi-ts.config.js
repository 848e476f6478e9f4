export default { output: { path: 'client', module: { extension: '.js' } } };
