{% extends "header.h" %}
{% from "layers.h" import kept, layers_of %}
{% block what %}a network over features{% endblock %}
{% block reads %}const float *features{{ ", float *chances" if outcomes }}{% endblock %}
{% block about %}
{% if classes %}
   A network of its own for each class of positions: features[{{ column }}], {{ classes }}, 0 to {{ networks - 1 }}.
{% endif %}
{% if outcomes %}
   `chances`: NULL, or room for {{ outcomes | length }} numbers, the chances of at least {{ outcomes | join(", ") }}.
{% endif %}
   `features`: {{ layers.widths[0] }} numbers, in this order:{{ meanings }}
{% endblock %}
{% block links %}, and link with -lm{% endblock %}
{% block helpers %}
#include <math.h>

{% endblock %}
{% block score %}
    const float *values_0 = features;
{% if classes %}
    int number = (int)features[{{ column }}];
    const float *numbers = {{ name }}_networks[{{ kept("number", networks - 1) }}];
{% else %}
    const float *numbers = {{ name }}_networks[0];
{% endif %}
{{ layers_of(layers, "float", activated) }}
{% if outcomes %}
    for (int k = 0; chances && k < {{ outcomes | length }}; k++)
        chances[k] = values_{{ layers.pairs | length - 1 }}[k];
{% endif %}
    return values_{{ layers.pairs | length }}[0];
{% endblock %}
