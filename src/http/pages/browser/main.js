import { showCurrent } from './current.js';
import { addPanels } from './panels.js';
import { addSearch } from './search.js';
import { addTryIt } from './try-it.js';
import { addVersionChoice } from './versions.js';

document.documentElement.classList.add('js');
addVersionChoice();
addSearch();
addPanels();
addTryIt();
showCurrent();
