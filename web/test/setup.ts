import { standIn } from './fake-api.ts';

standIn();
// Without it the page keeps no files for times without a network.
Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
